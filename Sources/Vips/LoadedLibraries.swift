import CVips
import CVipsLibrary

/// The shared libraries that pixels go through, as they are loaded in this process.
public enum LoadedLibraries {
  /// What decodes, computes, lays text or encodes: the beginnings of the files' names.
  package static let pixelLibraries = [
    "libvips", "libjpeg", "libpng", "libwebp", "libsharpyuv", "libtiff", "libheif", "libaom", "libdav1d",
    "libde265",
    "libx265", "libcgif", "libimagequant", "libjxl", "liblcms2", "libMagick", "librsvg", "libpoppler",
    "libcairo",
    "libpixman", "libpango", "libfontconfig", "libfreetype", "libharfbuzz", "libexif", "libopenjp2",
    "libfftw3",
    "liborc", "libspng", "libhwy", "libIlmImf", "libOpenEXR", "libz.",
  ]

  /// Each library's name and build identifier (ELF note `NT_GNU_BUILD_ID`), sorted: another build of one of them may
  /// give other pixels. A library that was linked without the note isn't among them.
  ///
  /// It loads libvips and reads what is in memory then, before libvips loads modules; libvips isn't started. Empty where it can't be
  /// loaded.
  public static let builds: [String] = {
    guard cvips_library_load() == nil else { return [] }
    var builds: [String] = []
    withUnsafeMutablePointer(to: &builds) { builds in
      cvips_each_note(
        { name, notes, size, builds in
          guard let name, let builds else { return }
          let file = String(cString: name).split(separator: "/").last.map(String.init) ?? ""
          guard LoadedLibraries.pixelLibraries.contains(where: file.hasPrefix) else { return }
          let notes = UnsafeRawBufferPointer(start: notes, count: size)
          guard let build = LoadedLibraries.buildIdentifier(in: notes) else { return }
          builds.assumingMemoryBound(to: [String].self).pointee.append("\(file) \(build)")
        }, builds)
    }
    return builds.sorted()
  }()

  /// Notes are a name's size, a description's size and a type, of four bytes each, then the two, each filled up to four
  /// bytes (elf(5)). `NT_GNU_BUILD_ID` is 3.
  private static func buildIdentifier(in notes: UnsafeRawBufferPointer) -> String? {
    var offset = 0
    while offset + 12 <= notes.count {
      let nameSize = Int(notes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      let size = Int(notes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
      let type = notes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
      let description = offset + 12 + (nameSize + 3) / 4 * 4
      guard description + size <= notes.count else { return nil }
      let name = notes[(offset + 12)..<(offset + 12 + nameSize)]
      if type == 3, name.elementsEqual("GNU\0".utf8) {
        return notes[description..<(description + size)].map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
      }
      offset = description + (size + 3) / 4 * 4
    }
    return nil
  }
}
