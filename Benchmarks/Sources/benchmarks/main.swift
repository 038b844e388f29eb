internal import NightfusePipeline
internal import NightfuseCore
print(Homography.translation(1, 2))
