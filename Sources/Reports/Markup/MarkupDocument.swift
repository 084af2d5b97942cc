import ImageBatch

/// `--emit srcset` and `--emit picture`: an element for each matrix of outputs. Texts for people (`alt`) are theirs to
/// write, and so are `sizes` that know the page; widths and heights are there so that pages don't jump.
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
    guard let fallback = set.fallback, let largest = fallback.pictures.last else { return "" }
    let candidates = fallback.pictures.count > 1 ? Self.candidates(fallback) + " " : ""
    let image =
      "<img src=\"\(XMLText.escaped(largest.url))\" \(candidates)"
      + "width=\"\(largest.width)\" height=\"\(largest.height)\" alt=\"\">\n"
    guard showsEveryFormat else { return image }
    let sources = set.variants.filter { $0.format != fallback.format }.map { variant in
      "  <source type=\"\(variant.mediaType)\" \(Self.candidates(variant))>\n"
    }
    return "<picture>\n\(sources.joined())  \(image)</picture>\n"
  }

  /// HTML wants `sizes` wherever there are widths. As wide as the page, but never wider than the largest, is what can
  /// be said of a picture whose place in the page nobody knows.
  private static func candidates(_ variant: PictureSet.Variant) -> String {
    let srcset = "srcset=\"\(XMLText.escaped(variant.srcset))\""
    return variant.sizes.map { "\(srcset) sizes=\"\($0)\"" } ?? srcset
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
        json.member(
          "variants",
          array: { json in
            for variant in set.variants { json.object { $0.members(variant) } }
          })
      }
      return json.bytes + Array(separator.utf8)
    }
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { Array("\n]\n".utf8) }
}

extension JSONWriter {
  fileprivate mutating func members(_ variant: PictureSet.Variant) {
    member("format", variant.format.rawValue)
    member("type", variant.mediaType)
    member("srcset", variant.srcset)
    member("sizes", variant.sizes)
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
