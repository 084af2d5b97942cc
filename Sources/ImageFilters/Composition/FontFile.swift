import Glibc
import Vips

/// The files that a chain's fonts come from, so that an output's key can hold their contents.
public enum FontFile {
  /// Where the font lies that a `text` filter would use: the path itself where it is one, else what fontconfig
  /// finds for the description; nil where there is no fontconfig or it finds nothing.
  ///
  /// fontconfig is asked through the copy that Pango brought into the process: building needs nothing of it.
  public static func path(for font: String) -> String? {
    if Lettering.isFile(font) { return font }
    guard let library = dlopen("libfontconfig.so.1", RTLD_NOW) else { return nil }
    defer { dlclose(library) }
    typealias Parse = @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
    typealias Substitute = @convention(c) (OpaquePointer?, OpaquePointer?, Int32) -> Int32
    typealias Defaults = @convention(c) (OpaquePointer?) -> Void
    typealias Match =
      @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    typealias Text =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<UnsafePointer<CChar>?>
      ) -> Int32
    guard let parse = dlsym(library, "FcNameParse"), let substitute = dlsym(library, "FcConfigSubstitute"),
      let defaults = dlsym(library, "FcDefaultSubstitute"), let match = dlsym(library, "FcFontMatch"),
      let text = dlsym(library, "FcPatternGetString"), let destroy = dlsym(library, "FcPatternDestroy")
    else { return nil }

    let pattern = unsafeBitCast(parse, to: Parse.self)(pattern(of: font))
    guard pattern != nil else { return nil }
    defer { unsafeBitCast(destroy, to: Defaults.self)(pattern) }
    _ = unsafeBitCast(substitute, to: Substitute.self)(nil, pattern, 0)
    unsafeBitCast(defaults, to: Defaults.self)(pattern)
    var status: Int32 = 0
    guard let found = unsafeBitCast(match, to: Match.self)(nil, pattern, &status) else { return nil }
    defer { unsafeBitCast(destroy, to: Defaults.self)(found) }
    var path: UnsafePointer<CChar>?
    guard unsafeBitCast(text, to: Text.self)(found, "file", 0, &path) == 0, let path else { return nil }
    return String(cString: path)
  }

  /// fontconfig's way of writing Pango's description: `sans bold` is `sans:bold`.
  private static func pattern(of font: String) -> String {
    var words = font.split(separator: " ")
    var styles: [Substring] = []
    while words.count > 1, let last = words.last, Self.styles.contains(last.lowercased()) {
      styles.append(words.removeLast())
    }
    return ([words.joined(separator: " ")] + styles.reversed().map { $0.lowercased() }).joined(separator: ":")
  }

  private static let styles: Set = [
    "thin", "light", "book", "regular", "medium", "demibold", "semibold", "bold", "extrabold", "black",
    "italic",
    "oblique", "condensed",
  ]
}

extension FilterChain {
  /// The fonts that its texts name, in order, each once.
  public var fonts: [String] {
    var result: [String] = []
    for step in steps where step.name == "text" {
      for case .text(let font) in step.arguments.values.filter({ $0.key == "font" }).map(\.value)
      where !result.contains(font) {
        result.append(font)
      }
    }
    return result
  }
}
