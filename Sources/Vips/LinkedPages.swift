private import CVips

/// The memory that the program and its libraries take as files that are mapped.
package enum LinkedPages {
  /// Gives back what of it can be read again (`madvise`, `MADV_DONTNEED`): the dynamic linker has looked at tables of a
  /// hundred libraries, some 25 MB, of which a process that renders no picture needs next to nothing.
  package static func release() { cvips_release_linked_pages() }
}
