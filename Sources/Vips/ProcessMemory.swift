private import CVips

/// What this process takes of the machine's memory, beside what it asked for.
package enum ProcessMemory {
  /// Gives back those pages of the program and its libraries that can be read again (`madvise`, `MADV_DONTNEED`): the
  /// dynamic linker has looked at tables of a hundred libraries, some 25 MB, of which a process that renders no picture
  /// needs next to nothing.
  package static func releaseLinkedPages() { cvips_release_linked_pages() }

  /// Has glibc's allocator use two arenas where it would make eight a core (`mallopt`, `M_ARENA_MAX`): what is freed by
  /// another thread than it was allocated by is used again sooner, or goes back to the system.
  package static func limitArenas() { cvips_limit_malloc_arenas(2) }
}
