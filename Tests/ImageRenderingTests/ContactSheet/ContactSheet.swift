import FoundationEssentials
import ImageFilters
import Vips

@testable import ImageRendering

/// Every filter's example on a few test images, as one HTML page and one PNG that a person can judge by eye.
struct ContactSheet {
  /// A row of the sheet.
  struct Row {
    let filter: FilterDefinition
    let example: String
    let images: [(name: String, width: Int, height: Int)]
  }

  private let directory: String
  /// The longest side of an image on the sheet, in pixels.
  private let side = 160

  /// A sheet in a directory, which is made if it isn't there.
  init(directory: String) { self.directory = directory }

  /// Writes `index.html`, `contact-sheet.png` and a PNG for each cell.
  /// - Parameter images: Paths of images to use; test images are made where none is given.
  /// - Throws: `RenderError` where an image can't be read or written; `FilterError` where an example fails.
  func write(images: [String] = []) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let sources = images.isEmpty ? try TestImages.all() : try images.map(opened)
    let stencil = try TestImages.stencil()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in stencil }
    var rows: [Row] = []
    var strips: [VipsImage] = [try strip("the images", sources)]
    for (filter, example) in Self.examples {
      let chain = try FilterChain(parsing: example)
      var cells: [VipsImage] = []
      var names: [(String, Int, Int)] = []
      for (index, source) in sources.enumerated() {
        let cell: VipsImage
        do {
          cell = try chain.apply(to: source, context: context).materialized()
        } catch let error as FilterError {
          throw FilterError(error.code, "\(example): \(error.message)")
        }
        let stem =
          String(example.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }) + "-\(index + 1)"
        let (saver, name) = cell.pageCount > 1 ? ("webpsave", "\(stem).webp") : ("pngsave", "\(stem).png")
        _ = try VipsOperation(saver, ["in": .image(cell), "filename": .string("\(directory)/\(name)")])
        names.append((name, cell.width, cell.pageHeight))
        cells.append(try middleFrame(of: cell))
      }
      rows.append(Row(filter: filter, example: example, images: names))
      strips.append(try strip(example, cells))
    }
    try Data(ContactSheetPage(rows: rows).html.utf8).write(to: URL(filePath: "\(directory)/index.html"))
    let sheet = try VipsOperation(
      "arrayjoin", ["in": .images(strips), "across": 2, "background": .doubles([255, 255, 255])]
    ).image()
    _ = try VipsOperation(
      "pngsave", ["in": .image(sheet), "filename": .string("\(directory)/contact-sheet.png")])
  }

  /// Every filter's example, and each kind of transition.
  private static var examples: [(FilterDefinition, String)] {
    FilterTable.all.flatMap { filter in
      guard filter.name == "transition",
        case .choice(let kinds)? = filter.parameters.first(where: { $0.name == "kind" })?.type
      else { return [(filter, filter.example)] }
      return kinds.map { (filter, "transition:before:\($0):400ms:30") }
    }
  }

  /// Of an animation the frame in the middle, which shows what goes on.
  private func middleFrame(of image: VipsImage) throws -> VipsImage {
    let middle = image.pageCount * 2 / 5
    return try image.cropped(
      x: 0, y: middle * image.pageHeight, width: image.width, height: image.pageHeight
    ).editingMetadata { $0.remove("page-height") }
  }

  private func opened(_ path: String) throws -> VipsImage {
    let file = try SourceFile(path: path, limits: RenderLimits())
    return try FilterChain(parsing: "limit:\(2 * side)x\(2 * side)")
      .apply(to: file.open(sequential: false, failOn: file.loader.strictness)).materialized()
  }

  /// The cells beside one another on a chequered ground, the chain's text before them.
  private func strip(_ title: String, _ cells: [VipsImage]) throws -> VipsImage {
    var row = try VipsImage.plain([255, 255, 255], width: 168 + (side + 8) * cells.count, height: side + 8)
    row = try FilterChain(
      name: "text",
      arguments: [(nil, title), ("size", "14"), ("gravity", "west"), ("width", "160"), ("x", "4")]
    ).apply(to: row)
    for (index, cell) in cells.enumerated() {
      let fitted = try FilterChain(parsing: "limit:\(side)x\(side)").apply(to: cell)
      let shown = try TestImages.onChequers(fitted)
      row = try VipsOperation(
        "insert",
        [
          "main": .image(row), "sub": .image(shown), "x": .integer(168 + (side + 8) * index), "y": 4,
        ]
      ).image()
    }
    return try row.materialized()
  }
}
