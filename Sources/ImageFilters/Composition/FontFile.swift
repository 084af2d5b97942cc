/// Locates the font files of a chain, so that an output's key can include their contents.
public enum FontFile {
  /// Whether a `font` argument is the path of a font file, by its extension.
  public static func isFile(_ font: String) -> Bool { TextRenderer.isFile(font) }

  /// The file of the font that a `text` filter would use.
  ///
  /// - Parameter font: The filter's `font` argument: a font file's path, which is returned unchanged, or a
  ///   description such as `sans bold`, for which fontconfig finds a file.
  /// - Returns: nil if fontconfig isn't installed or finds no font.
  public static func path(for font: String) -> String? {
    if TextRenderer.isFile(font) { return font }
    return FontConfig.withLibrary { library in
      guard let found = library.match(pattern(of: font)) else { return nil }
      defer { library.destroy(found) }
      return library.text("file", of: found)
    }
  }

  /// Pango's name for the font in a file, such as `DejaVu Serif, Bold Italic`; nil if the file isn't a font.
  ///
  /// Loading a font file only adds it to the available fonts. Pango uses it only when asked for it by this name.
  static func description(ofFile path: String) -> String? {
    FontConfig.withLibrary { library in
      guard let font = library.font(ofFile: path) else { return nil }
      defer { library.destroy(font) }
      guard let family = library.text("family", of: font) else { return nil }
      // Map the constants in fontconfig.h to Pango's style words.
      let weight = nearest(
        library.integer("weight", of: font) ?? 80,
        [
          (0, "Thin"), (40, "Ultra-Light"), (50, "Light"), (55, "Semi-Light"), (75, "Book"), (80, ""),
          (100, "Medium"),
          (180, "Semi-Bold"), (200, "Bold"), (205, "Ultra-Bold"), (210, "Heavy"),
        ])
      let slant = nearest(
        library.integer("slant", of: font) ?? 0, [(0, ""), (100, "Italic"), (110, "Oblique")])
      let width = nearest(
        library.integer("width", of: font) ?? 100,
        [
          (50, "Ultra-Condensed"), (63, "Extra-Condensed"), (75, "Condensed"), (87, "Semi-Condensed"),
          (100, ""),
          (113, "Semi-Expanded"), (125, "Expanded"), (150, "Extra-Expanded"), (200, "Ultra-Expanded"),
        ])
      // The comma separates the style from a family name that ends in a style word itself.
      return "\(family), " + [weight, slant, width].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private static func nearest(_ number: Int, _ words: [(number: Int, word: String)]) -> String {
    words.min { abs($0.number - number) < abs($1.number - number) }?.word ?? ""
  }

  /// Converts Pango's description to fontconfig's pattern: `sans bold` to `sans:bold`.
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
  /// Replaces the paths of font files.
  ///
  /// - Parameter place: Returns the new path for each path as written in the chain.
  /// - Throws: The error that `place` throws.
  public func placingFontFiles<Failure>(
    _ place: (String) throws(Failure) -> String
  ) throws(Failure) -> FilterChain {
    guard fonts.contains(where: TextRenderer.isFile) else { return self }
    var placed: [FilterStep] = []
    for step in steps {
      var values: [FilterArguments.Entry] = []
      for entry in step.arguments.values {
        if step.name == "text", entry.key == "font", case .text(let font) = entry.value,
          TextRenderer.isFile(font)
        {
          values.append(FilterArguments.Entry(key: entry.key, value: .text(try place(font))))
        } else {
          values.append(entry)
        }
      }
      placed.append(step.replacing(values))
    }
    return FilterChain(checked: placed)
  }

  /// The fonts of the chain's `text` filters, in order and without duplicates.
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
