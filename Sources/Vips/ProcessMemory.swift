private import CVips

/// What this process takes of the machine's memory, beside what it asked for.
package enum ProcessMemory {
  /// Has glibc's allocator use two arenas where it would make eight a core (`mallopt`, `M_ARENA_MAX`): what is freed by
  /// another thread than it was allocated by is used again sooner, or goes back to the system.
  package static func limitArenas() { cvips_limit_malloc_arenas(2) }
}
