import Glibc

/// The fontconfig functions that look up fonts, loaded at run time.
///
/// Pango has already loaded the library into the process, so building doesn't need fontconfig's headers.
struct FontConfig {
  private typealias Parse = @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
  private typealias Substitute = @convention(c) (OpaquePointer?, OpaquePointer?, Int32) -> Int32
  private typealias Change = @convention(c) (OpaquePointer?) -> Void
  private typealias Match =
    @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<Int32>) -> OpaquePointer?
  private typealias Text =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<UnsafePointer<CChar>?>)
    -> Int32
  private typealias Integer =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Int32>) -> Int32
  private typealias Query =
    @convention(c) (UnsafePointer<CChar>, UInt32, OpaquePointer?, UnsafeMutablePointer<Int32>) ->
    OpaquePointer?

  private let parseName: Parse
  private let substitute: Substitute
  private let complete: Change
  private let matchPattern: Match
  private let textOf: Text
  private let integerOf: Integer
  private let query: Query
  private let release: Change

  /// Calls `body` with the loaded library. Returns its result, or nil if fontconfig isn't installed.
  static func withLibrary<Result>(_ body: (FontConfig) -> Result?) -> Result? {
    guard let library = dlopen("libfontconfig.so.1", RTLD_NOW) else { return nil }
    defer { dlclose(library) }
    guard let functions = FontConfig(library) else { return nil }
    return body(functions)
  }

  private init?(_ library: UnsafeMutableRawPointer) {
    guard let parse = dlsym(library, "FcNameParse"), let substitute = dlsym(library, "FcConfigSubstitute"),
      let complete = dlsym(library, "FcDefaultSubstitute"), let match = dlsym(library, "FcFontMatch"),
      let text = dlsym(library, "FcPatternGetString"), let integer = dlsym(library, "FcPatternGetInteger"),
      let query = dlsym(library, "FcFreeTypeQuery"), let release = dlsym(library, "FcPatternDestroy")
    else { return nil }
    // The signatures are those in fontconfig.h.
    parseName = unsafeBitCast(parse, to: Parse.self)
    self.substitute = unsafeBitCast(substitute, to: Substitute.self)
    self.complete = unsafeBitCast(complete, to: Change.self)
    matchPattern = unsafeBitCast(match, to: Match.self)
    textOf = unsafeBitCast(text, to: Text.self)
    integerOf = unsafeBitCast(integer, to: Integer.self)
    self.query = unsafeBitCast(query, to: Query.self)
    self.release = unsafeBitCast(release, to: Change.self)
  }

  /// The installed font that best matches a pattern. The caller must ``destroy(_:)`` it.
  func match(_ pattern: String) -> OpaquePointer? {
    guard let wanted = parseName(pattern) else { return nil }
    defer { release(wanted) }
    _ = substitute(nil, wanted, 0)
    complete(wanted)
    var status: Int32 = 0
    return matchPattern(nil, wanted, &status)
  }

  /// The first font in a file; nil if the file isn't a font. The caller must ``destroy(_:)`` it.
  func font(ofFile path: String) -> OpaquePointer? {
    var count: Int32 = 0
    return query(path, 0, nil, &count)
  }

  /// A text property, such as `family`.
  func text(_ name: String, of font: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard textOf(font, name, 0, &text) == 0, let text else { return nil }
    return String(cString: text)
  }

  /// An integer property, such as `weight`.
  func integer(_ name: String, of font: OpaquePointer) -> Int? {
    var number: Int32 = 0
    return integerOf(font, name, 0, &number) == 0 ? Int(number) : nil
  }

  /// Releases a font that ``match(_:)`` or ``font(ofFile:)`` returned.
  func destroy(_ font: OpaquePointer) { release(font) }
}
