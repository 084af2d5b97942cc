import Foundation

/// This process's open descriptors.
package enum OpenDescriptors {
  /// How many belong to files and directories below a directory. Tests that run beside this one open files elsewhere.
  /// - Parameter directory: A path without links.
  package static func count(below directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      // A descriptor may be closed in between.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
      return target == directory || target?.hasPrefix(directory + "/") == true
    }
  }
}
