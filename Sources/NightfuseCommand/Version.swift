/// The version of command and library.
package let nightfuseVersion = "0.1.0"
