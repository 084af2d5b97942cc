import Glibc

/// The few of fontconfig's functions that tell which fonts there are, from the copy that Pango brought into the
/// process: building needs nothing of it.
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

  /// What `body` returns; nil where there is no fontconfig.
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
    // The types are those of fontconfig.h.
    parseName = unsafeBitCast(parse, to: Parse.self)
    self.substitute = unsafeBitCast(substitute, to: Substitute.self)
    self.complete = unsafeBitCast(complete, to: Change.self)
    matchPattern = unsafeBitCast(match, to: Match.self)
    textOf = unsafeBitCast(text, to: Text.self)
    integerOf = unsafeBitCast(integer, to: Integer.self)
    self.query = unsafeBitCast(query, to: Query.self)
    self.release = unsafeBitCast(release, to: Change.self)
  }

  /// The installed font that is nearest to a pattern; to be destroyed.
  func match(_ pattern: String) -> OpaquePointer? {
    guard let wanted = parseName(pattern) else { return nil }
    defer { release(wanted) }
    _ = substitute(nil, wanted, 0)
    complete(wanted)
    var status: Int32 = 0
    return matchPattern(nil, wanted, &status)
  }

  /// The first font of a file; to be destroyed. nil where the file is none.
  func font(ofFile path: String) -> OpaquePointer? {
    var count: Int32 = 0
    return query(path, 0, nil, &count)
  }

  /// A property that is a text.
  func text(_ name: String, of font: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard textOf(font, name, 0, &text) == 0, let text else { return nil }
    return String(cString: text)
  }

  /// A property that is a number, as `weight` is.
  func integer(_ name: String, of font: OpaquePointer) -> Int? {
    var number: Int32 = 0
    return integerOf(font, name, 0, &number) == 0 ? Int(number) : nil
  }

  /// Gives a font back.
  func destroy(_ font: OpaquePointer) { release(font) }
}
