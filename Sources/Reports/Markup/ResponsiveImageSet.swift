import ImageBatch
import ImageRendering

/// The outputs of one matrix that didn't fail: one image in several sizes and formats.
struct ResponsiveImageSet {
  /// The image in one format.
  struct Variant {
    var format: OutputFormat
    /// Sorted by width, each width once.
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
  /// The manifest's markup settings.
  let markup: Markup
  /// The formats, most efficient first, because a browser takes the first that it supports.
  let variants: [Variant]

  /// The sets of a job. Outputs at the same position in the manifest belong to one matrix.
  static func sets(of job: JobResult, paths: ImagePaths) -> [ResponsiveImageSet] {
    var places: [ManifestLocation?] = []
    var groups: [ManifestLocation?: [OutputResult]] = [:]
    for output in job.outputs where output.status != .failed {
      if groups[output.location] == nil { places.append(output.location) }
      groups[output.location, default: []].append(output)
    }
    return places.compactMap { place in
      let set = ResponsiveImageSet(source: job.source, outputs: groups[place] ?? [], paths: paths)
      return set.variants.isEmpty ? nil : set
    }
  }

  private init(source: String, outputs: [OutputResult], paths: ImagePaths) {
    self.source = source
    let markup = outputs.lazy.compactMap(\.markup).first ?? Markup()
    self.markup = markup
    variants = Self.preference.compactMap { format in
      var widths: Set<Int> = []
      let pictures = outputs.compactMap { output -> Picture? in
        guard output.format == format.rawValue, let path = output.path, let width = output.width,
          let height = output.height, widths.insert(width).inserted
        else { return nil }
        let prefixed = markup.urlPrefix.map { $0 + ImagePaths.relativeURL(of: output.output ?? path) }
        return Picture(
          url: prefixed ?? (output.file == nil ? path : paths.url(of: path)), width: width, height: height,
          bytes: output.bytes,
          placeholders: output.placeholders)
      }
      return pictures.isEmpty
        ? nil : Variant(format: format, pictures: pictures.sorted { $0.width < $1.width })
    }
  }

  /// The placeholders to show while the image loads.
  var placeholders: Placeholders? { variants.lazy.flatMap(\.pictures).compactMap(\.placeholders).first }

  /// HTML's `sizes`; nil for a single image, whose `srcset` has no width.
  func sizes(of variant: Variant) -> String? { variant.sizes.map { markup.sizes ?? $0 } }

  private static let preference: [OutputFormat] = [.jxl, .avif, .heic, .webp, .tiff, .gif, .png, .jpeg]

  /// The variant in the most widely supported format.
  var fallback: Variant? {
    let order: [OutputFormat] = [.jpeg, .png, .gif, .webp, .avif]
    return order.lazy.compactMap { format in variants.first { $0.format == format } }.first ?? variants.last
  }
}

extension ResponsiveImageSet.Variant {
  /// HTML's `srcset`, with widths if there are several images. URLs have no spaces or commas, so they need no quoting.
  var srcset: String {
    if pictures.count == 1, let only = pictures.first { return only.url }
    return pictures.map { "\($0.url) \($0.width)w" }.joined(separator: ", ")
  }

  /// The default for HTML's `sizes`; nil for a single image, whose ``srcset`` has no width.
  var sizes: String? {
    guard pictures.count > 1, let widest = pictures.last else { return nil }
    return "(max-width: \(widest.width)px) 100vw, \(widest.width)px"
  }

  var mediaType: String { EncoderTable.definition(of: format)?.mediaType ?? "" }
}
