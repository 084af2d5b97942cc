import ImageBatch

/// The outputs of one matrix that are in place: one picture in several sizes and formats.
struct PictureSet {
  /// One format's sizes.
  struct Variant {
    var format: OutputFormat
    /// By width, each width once.
    var pictures: [Picture]
  }

  struct Picture {
    var url: String
    var width: Int
    var height: Int
    var bytes: Int?
    var placeholders: Placeholders?
  }

  let source: String
  /// What the manifest says of it.
  let markup: Markup
  /// The smallest files first, as a browser should choose; the one that most browsers know is ``fallback``.
  let variants: [Variant]

  /// The sets of a job: outputs that stand at one place of the manifest are one matrix.
  static func sets(of job: JobResult, paths: PicturePaths) -> [PictureSet] {
    var places: [ManifestLocation?] = []
    var groups: [ManifestLocation?: [OutputResult]] = [:]
    for output in job.outputs where output.status != .failed {
      if groups[output.location] == nil { places.append(output.location) }
      groups[output.location, default: []].append(output)
    }
    return places.compactMap { place in
      let set = PictureSet(source: job.source, outputs: groups[place] ?? [], paths: paths)
      return set.variants.isEmpty ? nil : set
    }
  }

  private init(source: String, outputs: [OutputResult], paths: PicturePaths) {
    self.source = source
    let markup = outputs.lazy.compactMap(\.markup).first ?? Markup()
    self.markup = markup
    variants = Self.preference.compactMap { format in
      var widths: Set<Int> = []
      let pictures = outputs.compactMap { output -> Picture? in
        guard output.format == format.rawValue, let path = output.path, let width = output.width,
          let height = output.height, widths.insert(width).inserted
        else { return nil }
        let prefixed = markup.urlPrefix.map { $0 + PicturePaths.relativeURL(of: output.output ?? path) }
        return Picture(
          url: prefixed ?? paths.url(of: path), width: width, height: height, bytes: output.bytes,
          placeholders: output.placeholders)
      }
      return pictures.isEmpty
        ? nil : Variant(format: format, pictures: pictures.sorted { $0.width < $1.width })
    }
  }

  /// What stands for the picture until it is there.
  var placeholders: Placeholders? { variants.lazy.flatMap(\.pictures).compactMap(\.placeholders).first }

  /// HTML's `sizes`; nil where there is one picture, which has no width in its `srcset`.
  func sizes(of variant: Variant) -> String? { variant.sizes.map { markup.sizes ?? $0 } }

  private static let preference: [OutputFormat] = [.jxl, .avif, .heic, .webp, .tiff, .gif, .png, .jpeg]

  /// The variant that most browsers know.
  var fallback: Variant? {
    let order: [OutputFormat] = [.jpeg, .png, .gif, .webp, .avif]
    return order.lazy.compactMap { format in variants.first { $0.format == format } }.first ?? variants.last
  }
}

extension PictureSet.Variant {
  /// HTML's `srcset`, with widths where there are several: URLs have neither spaces nor commas.
  var srcset: String {
    if pictures.count == 1, let only = pictures.first { return only.url }
    return pictures.map { "\($0.url) \($0.width)w" }.joined(separator: ", ")
  }

  /// HTML's `sizes`; nil where there is one picture, which has no width in ``srcset``.
  var sizes: String? {
    guard pictures.count > 1, let widest = pictures.last else { return nil }
    return "(max-width: \(widest.width)px) 100vw, \(widest.width)px"
  }

  var mediaType: String { "image/\(format.rawValue)" }
}
