internal import Nightfuse

/// The version of command and library.
package let nightfuseVersion = LibraryVersion.current
