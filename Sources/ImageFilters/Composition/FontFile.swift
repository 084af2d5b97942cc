/// The files that a chain's fonts come from, so that an output's key can hold their contents.
public enum FontFile {
  /// Where the font lies that a `text` filter would use: the path itself where it is one, else what fontconfig
  /// finds for the description; nil where there is no fontconfig or it finds nothing.
  ///
  /// fontconfig is asked through the copy that Pango brought into the process: building needs nothing of it.
  public static func path(for font: String) -> String? {
    if Lettering.isFile(font) { return font }
    return FontConfig.withLibrary { library in
      guard let found = library.match(pattern(of: font)) else { return nil }
      defer { library.destroy(found) }
      return library.text("file", of: found)
    }
  }

  /// What Pango calls the font that a file holds (`DejaVu Serif, Bold Italic`); nil where the file is no font.
  ///
  /// Loading a file only adds its font to those there are: it is used when it is asked for by its own name.
  static func description(ofFile path: String) -> String? {
    FontConfig.withLibrary { library in
      guard let font = library.font(ofFile: path) else { return nil }
      defer { library.destroy(font) }
      guard let family = library.text("family", of: font) else { return nil }
      // fontconfig.h's numbers, Pango's words.
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
      // The comma ends the family's name, which may itself end in a word for a style.
      return "\(family), " + [weight, slant, width].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private static func nearest(_ number: Int, _ words: [(number: Int, word: String)]) -> String {
    words.min { abs($0.number - number) < abs($1.number - number) }?.word ?? ""
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
  /// The chain with its font files elsewhere: `place` is given the path of each as it was written.
  public func placingFontFiles<Failure>(
    _ place: (String) throws(Failure) -> String
  ) throws(Failure) -> FilterChain {
    guard fonts.contains(where: Lettering.isFile) else { return self }
    var placed: [FilterStep] = []
    for step in steps {
      var values: [FilterArguments.Entry] = []
      for entry in step.arguments.values {
        if step.name == "text", entry.key == "font", case .text(let font) = entry.value,
          Lettering.isFile(font)
        {
          values.append(FilterArguments.Entry(key: entry.key, value: .text(try place(font))))
        } else {
          values.append(entry)
        }
      }
      placed.append(
        FilterStep(name: step.name, arguments: FilterArguments(filter: step.arguments.filter, values: values))
      )
    }
    return FilterChain(checked: placed)
  }

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
