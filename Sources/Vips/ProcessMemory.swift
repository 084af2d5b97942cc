private import CVips
import Glibc

/// The process's memory as the C library and the kernel see it.
package enum ProcessMemory {
  /// Limits glibc's allocator to two arenas instead of eight per core (`mallopt`, `M_ARENA_MAX`). Memory that one
  /// thread allocates and another frees is then reused sooner or returned to the system.
  package static func limitArenas() { cvips_limit_malloc_arenas(2) }

  /// Returns free memory between allocations to the system (malloc_trim(3)). Takes milliseconds.
  package static func trim() { cvips_trim_malloc() }

  /// The size of the data segment and stacks in bytes, which `RLIMIT_DATA` limits (proc_pid_statm(5)); 0 if unknown.
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
