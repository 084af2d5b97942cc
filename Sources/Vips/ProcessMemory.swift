private import CVips
import Glibc

/// What this process takes of the machine's memory, beside what it asked for.
package enum ProcessMemory {
  /// Has glibc's allocator use two arenas where it would make eight a core (`mallopt`, `M_ARENA_MAX`): what is freed by
  /// another thread than it was allocated by is used again sooner, or goes back to the system.
  package static func limitArenas() { cvips_limit_malloc_arenas(2) }

  /// The data segment's size in bytes, stacks included: what `RLIMIT_DATA` limits (proc_pid_statm(5)). 0 where the system
  /// doesn't tell.
  package static var data: Int {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return 0 }
    let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
    guard fields.count > 5, let pages = Int(String(decoding: fields[5], as: UTF8.self)) else { return 0 }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
