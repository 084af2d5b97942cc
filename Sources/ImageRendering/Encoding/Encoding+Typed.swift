public import ImageFilters

/// The functions that create encodings (`.webp(quality: 80)`) are generated in `TypedEncodings.swift`. An option that is
/// out of range fails when an image is encoded.
extension Encoding {
  /// Creates an encoding from a format's options; `options` has all of them.
  init(typed format: OutputFormat, _ options: [String: OptionValue]) {
    self.format = format
    self.options = options
    metadata = .copyright
    profile = .sRGB
    background = Color.white.identifier
    frames = .all
    keepsOrientation = false
    maxBytes = nil
    alternatives = []
    minSavings = 0
    followsSource = false
  }

  /// Creates an encoding with a format's default options, by a file's extension.
  /// - Parameter pathExtension: The extension without the dot, in any case.
  /// - Throws: `EncodingSettingsError` if no format has the extension.
  public init(forPathExtension pathExtension: String) throws(EncodingSettingsError) {
    try self.init(resolving: EncodingSettings(), pathExtension: pathExtension)
  }

  /// The same encoding with other metadata kept.
  /// - Parameter metadata: The metadata to keep, in all candidate formats. Default of an encoding:
  ///   ``MetadataPolicy/copyright``.
  public func keeping(_ metadata: MetadataPolicy) -> Encoding { changed { $0.metadata = metadata } }

  /// The same encoding for other frames of an animation.
  /// - Parameter frames: The frames to keep. Default of an encoding: ``FrameSelection/all``.
  public func with(frames: FrameSelection) -> Encoding { changed { $0.frames = frames } }

  /// The same encoding with another background for transparent pixels, for formats without alpha.
  /// - Parameter background: The color. Default of an encoding: white.
  public func with(background: Color) -> Encoding { changed { $0.background = background.identifier } }

  /// The same encoding at the highest quality, up to the encoding's, with which the file is small enough.
  /// - Parameter bytes: The largest file size in bytes. Encoding fails if no quality meets it.
  public func limited(toBytes bytes: Int) -> Encoding { changed { $0.maxBytes = bytes } }

  private func changed(_ body: (inout Encoding) -> Void) -> Encoding {
    var result = with(
      alternatives: alternatives.map { $0.changed(body) }, minSavings: minSavings,
      followsSource: followsSource)
    body(&result)
    return result
  }

  /// Throws `EncodingSettingsError` if an option of the format is missing or out of range.
  func checkOptions() throws(EncodingSettingsError) {
    for option in EncoderTable.definition(of: format)?.options ?? [] {
      let text = options[option.name]?.description ?? ""
      _ = try option.value(parsing: text)
    }
  }
}
