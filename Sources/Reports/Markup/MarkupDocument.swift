import ImageBatch
import SystemIO

/// `--emit srcset` and `--emit picture`: an element for each matrix of outputs, with the manifest's `markup` settings.
/// It always has width and height, so that pages don't shift while loading.
struct MarkupDocument: ReportDocument {
  /// Whether to write a `<picture>` with a `<source>` for each format.
  let showsEveryFormat: Bool
  let paths: ImagePaths
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] { [] }

  func entry(_ job: JobResult) -> [UInt8] {
    Array(ResponsiveImageSet.sets(of: job, paths: paths).map(element).joined().utf8)
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { [] }

  private func element(_ set: ResponsiveImageSet) -> String {
    guard let element = PictureElement(set) else { return "" }
    if let template = set.markup.template { return element.filled(template) }
    return (showsEveryFormat ? element.picture : element.image) + "\n"
  }
}

/// The HTML of one image in several sizes and formats. All input is escaped.
struct PictureElement {
  private let pictureSet: ResponsiveImageSet
  private let fallback: ResponsiveImageSet.Variant
  private let largest: ResponsiveImageSet.Picture

  /// Returns nil if the set has no image.
  init?(_ set: ResponsiveImageSet) {
    guard let fallback = set.fallback, let largest = fallback.pictures.last else { return nil }
    (pictureSet, self.fallback, self.largest) = (set, fallback, largest)
  }

  /// A `<picture>` with a `<source>` for each format.
  var picture: String {
    let sources = self.sources
    return "<picture>\n" + (sources.isEmpty ? "" : sources + "\n") + "  \(image)\n</picture>"
  }

  /// A `<source>` for each format except the fallback.
  var sources: String {
    pictureSet.variants.filter { $0.format != fallback.format }.map { variant in
      let sizes = pictureSet.sizes(of: variant).map { " sizes=\"\(XMLText.escaped($0))\"" } ?? ""
      return "  <source type=\"\(variant.mediaType)\" srcset=\"\(XMLText.escaped(variant.srcset))\"\(sizes)>"
    }.joined(separator: "\n")
  }

  /// The `<img>` for the fallback format.
  var image: String {
    var attributes: [MarkupTemplate.Field] = [.src]
    if fallback.pictures.count > 1 { attributes += [.srcset, .sizes] }
    attributes += [.width, .height]
    if pictureSet.markup.loading != nil { attributes.append(.loading) }
    if !value(.style).isEmpty { attributes.append(.style) }
    attributes.append(.alt)
    return "<img " + attributes.map { "\($0.rawValue)=\"\(value($0))\"" }.joined(separator: " ") + ">"
  }

  /// The template with its fields filled in, ending in a line break.
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

  /// CSS that shows the placeholder as background.
  private var style: String {
    guard let placeholders = pictureSet.placeholders else { return "" }
    switch pictureSet.markup.placeholder {
    case .none: return ""
    case .color: return "background:\(placeholders.dominantColor)"
    case .image: return "background:url(\(placeholders.dataURI)) center/cover no-repeat"
    }
  }
}

/// `--emit json`: `{"version":1,"images":[…]}`, with one object for each matrix of outputs.
struct ResponsiveImageData: ReportDocument {
  let paths: ImagePaths
  let separator = ",\n"

  func head(_ summary: BatchSummary) -> [UInt8] {
    Array("{\"version\":\(JSONText.documentVersion),\"images\":[\n".utf8)
  }

  func entry(_ job: JobResult) -> [UInt8] {
    ResponsiveImageSet.sets(of: job, paths: paths).flatMap { set in
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

  func tail(_ summary: BatchSummary) -> [UInt8] { Array("\n]}\n".utf8) }
}

extension JSONWriter {
  fileprivate mutating func members(_ variant: ResponsiveImageSet.Variant, sizes: String?) {
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
