import ImageBatch

/// `--emit srcset` and `--emit picture`: an element for each matrix of outputs. Texts for people (`alt`) are theirs to
/// write; sizes are there so that pages don't jump.
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
    let image =
      "<img src=\"\(XMLText.escaped(largest.url))\" srcset=\"\(XMLText.escaped(fallback.srcset))\" "
      + "width=\"\(largest.width)\" height=\"\(largest.height)\" alt=\"\">\n"
    guard showsEveryFormat else { return image }
    let sources = set.variants.filter { $0.format != fallback.format }.map { variant in
      "  <source type=\"\(variant.mediaType)\" srcset=\"\(XMLText.escaped(variant.srcset))\">\n"
    }
    return "<picture>\n\(sources.joined())  \(image)</picture>\n"
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
