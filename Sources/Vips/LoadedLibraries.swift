import CVips
import CVipsLibrary

/// The shared libraries in this process that affect pixels.
public enum LoadedLibraries {
  /// The file name prefixes of the libraries that decode, compute, lay out text or encode.
  package static let pixelLibraries = [
    "libvips", "libjpeg", "libpng", "libwebp", "libsharpyuv", "libtiff", "libheif", "libaom", "libdav1d",
    "libde265",
    "libx265", "libcgif", "libimagequant", "libjxl", "liblcms2", "libMagick", "librsvg", "libpoppler",
    "libcairo",
    "libpixman", "libpango", "libfontconfig", "libfreetype", "libharfbuzz", "libexif", "libopenjp2",
    "libfftw3",
    "liborc", "libspng", "libhwy", "libIlmImf", "libOpenEXR", "libz.",
  ]

  /// Each library's file name and build identifier (ELF note `NT_GNU_BUILD_ID`), sorted. A different build may produce
  /// different pixels. Libraries linked without the note are left out.
  ///
  /// Reading this loads libvips but doesn't start it, so modules that libvips loads later are left out. Empty if
  /// libvips can't be loaded.
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

  /// The build identifier in a section of ELF notes, in hexadecimal; nil if there is none.
  ///
  /// A note is the size of its name, the size of its description and a type, four bytes each, followed by the name and
  /// the description, both padded to four bytes (elf(5)). `NT_GNU_BUILD_ID` is 3.
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
