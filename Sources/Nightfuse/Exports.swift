@_exported public import NightfuseCore
@_exported public import NightfuseMetering
@_exported public import NightfusePipeline
