import Synchronization

/// A file that a chain or an encoding names, in a worker process, which can't open it: the parent has copied it.
package enum PlacedFile: Sendable, Hashable {
  case copy(String)
  /// It isn't copied, for this reason, which follows the file's name in a message.
  case refused(String)
}

/// The files of the request that a worker process renders. Other processes have none, and open the paths themselves.
package enum PlacedFiles {
  private static let files = Mutex<[String: PlacedFile]>([:])

  /// Replaces the files, by the path that names them.
  package static func set(_ new: [String: PlacedFile]) {
    files.withLock { if !($0.isEmpty && new.isEmpty) { $0 = new } }
  }

  /// The path to open for a file.
  package static func location(of path: String) -> String {
    if case .copy(let copy)? = files.withLock({ $0[path] }) { copy } else { path }
  }

  /// Why a file isn't copied; nil if it is, or if the process opens the paths itself.
  package static func refusal(of path: String) -> String? {
    if case .refused(let reason)? = files.withLock({ $0[path] }) { reason } else { nil }
  }
}
