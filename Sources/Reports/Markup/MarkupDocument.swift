import ImageBatch

/// `--emit srcset` and `--emit picture`: an element for each matrix of outputs, with what the manifest's `markup` says.
/// Widths and heights are always there, so that pages don't jump.
struct MarkupDocument: ReportDocument {
  /// Whether each format has a `<source>`.
  let showsEveryFormat: Bool
  let paths: PicturePaths
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] { [] }

  func entry(_ job: JobResult) -> [UInt8] {
    Array(PictureSet.sets(of: job, paths: paths).map(element).joined().utf8)
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { [] }

  private func element(_ set: PictureSet) -> String {
    guard let element = PictureElement(set) else { return "" }
    if let template = set.markup.template { return element.filled(template) }
    return (showsEveryFormat ? element.picture : element.image) + "\n"
  }
}

/// The HTML of one picture in several sizes and formats. Whatever comes from elsewhere is escaped.
struct PictureElement {
  private let pictureSet: PictureSet
  private let fallback: PictureSet.Variant
  private let largest: PictureSet.Picture

  /// nil where there is no picture.
  init?(_ set: PictureSet) {
    guard let fallback = set.fallback, let largest = fallback.pictures.last else { return nil }
    (pictureSet, self.fallback, self.largest) = (set, fallback, largest)
  }

  /// `<picture>` with a source for each format.
  var picture: String {
    let sources = self.sources
    return "<picture>\n" + (sources.isEmpty ? "" : sources + "\n") + "  \(image)\n</picture>"
  }

  /// `<source>` for each format but the one that most browsers know.
  var sources: String {
    pictureSet.variants.filter { $0.format != fallback.format }.map { variant in
      let sizes = pictureSet.sizes(of: variant).map { " sizes=\"\(XMLText.escaped($0))\"" } ?? ""
      return "  <source type=\"\(variant.mediaType)\" srcset=\"\(XMLText.escaped(variant.srcset))\"\(sizes)>"
    }.joined(separator: "\n")
  }

  /// `<img>`.
  var image: String {
    var attributes: [MarkupTemplate.Field] = [.src]
    if fallback.pictures.count > 1 { attributes += [.srcset, .sizes] }
    attributes += [.width, .height]
    if pictureSet.markup.loading != nil { attributes.append(.loading) }
    if !value(.style).isEmpty { attributes.append(.style) }
    attributes.append(.alt)
    return "<img " + attributes.map { "\($0.rawValue)=\"\(value($0))\"" }.joined(separator: " ") + ">"
  }

  /// A template with its fields filled in, and a line's end.
  func filled(_ template: MarkupTemplate) -> String {
    let text = template.parts.map { part in
      switch part {
      case .html(let html): html
      case .text(let text): XMLText.escaped(text)
      case .field(let field): value(field)
      }
    }.joined()
    return text.hasSuffix("\n") ? text : text + "\n"
  }

  private func value(_ field: MarkupTemplate.Field) -> String {
    switch field {
    case .picture: picture
    case .img: image
    case .sources: sources
    case .src: XMLText.escaped(largest.url)
    case .srcset: XMLText.escaped(fallback.srcset)
    case .sizes: XMLText.escaped(pictureSet.sizes(of: fallback) ?? "")
    case .width: String(largest.width)
    case .height: String(largest.height)
    case .alt: XMLText.escaped(pictureSet.markup.alt)
    case .loading: pictureSet.markup.loading?.rawValue ?? ""
    case .style: XMLText.escaped(style)
    case .type: fallback.mediaType
    case .source: XMLText.escaped(pictureSet.source)
    }
  }

  /// The placeholder as background.
  private var style: String {
    guard let placeholders = pictureSet.placeholders else { return "" }
    switch pictureSet.markup.placeholder {
    case .none: return ""
    case .color: return "background:\(placeholders.dominantColour)"
    case .image: return "background:url(\(placeholders.dataURI)) center/cover no-repeat"
    }
  }
}

/// `--emit json`: an array with an object for each matrix of outputs.
struct PictureData: ReportDocument {
  let paths: PicturePaths
  let separator = ",\n"

  func head(_ summary: BatchSummary) -> [UInt8] { Array("[\n".utf8) }

  func entry(_ job: JobResult) -> [UInt8] {
    PictureSet.sets(of: job, paths: paths).flatMap { set in
      var json = JSONWriter()
      json.object { json in
        json.member("source", set.source)
        json.member("alt", set.markup.alt)
        if let loading = set.markup.loading { json.member("loading", loading.rawValue) }
        json.member(
          "variants",
          array: { json in
            for variant in set.variants { json.object { $0.members(variant, sizes: set.sizes(of: variant)) } }
          })
      }
      return json.bytes + Array(separator.utf8)
    }
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { Array("\n]\n".utf8) }
}

extension JSONWriter {
  fileprivate mutating func members(_ variant: PictureSet.Variant, sizes: String?) {
    member("format", variant.format.rawValue)
    member("type", variant.mediaType)
    member("srcset", variant.srcset)
    member("sizes", sizes)
    member(
      "pictures",
      array: { json in
        for picture in variant.pictures {
          json.object { json in
            json.member("url", picture.url)
            json.member("width", picture.width)
            json.member("height", picture.height)
            json.member("bytes", picture.bytes)
            if let placeholders = picture.placeholders {
              json.member("placeholders", object: { $0.members(placeholders) })
            }
          }
        }
      })
  }
}
