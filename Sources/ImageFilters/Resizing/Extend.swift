import Vips

/// `extend`: adds a border.
struct Extend {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let arguments = pass.arguments
    let (top, right, bottom, left) = try Self.margins(arguments)
    let extent = try ResizingGeometry.checked(
      Double(pass.image.width + left + right), Double(pass.image.height + top + bottom))
    let mode = try arguments.word("mode")
    guard mode == "colour" else {
      return try pass.image.embedded(
        x: left, y: top, width: extent.width, height: extent.height, extend: mode)
    }
    let background = try arguments.color("background")
    let layer = background.alpha == 255 ? pass.image : try pass.image.addingAlpha()
    return try layer.embedded(
      x: left, y: top, width: extent.width, height: extent.height, extend: "background",
      background: pass.values(of: background, bands: layer.bands))
  }

  /// The rows and columns to add. Missing margins default to the opposite side or the top, as in CSS.
  static func margins(
    _ arguments: FilterArguments
  ) throws(FilterError) -> (top: Int, right: Int, bottom: Int, left: Int) {
    let top = try arguments.integer("top")
    let right = arguments.has("right") ? try arguments.integer("right") : top
    let bottom = arguments.has("bottom") ? try arguments.integer("bottom") : top
    let left = arguments.has("left") ? try arguments.integer("left") : right
    return (top, right, bottom, left)
  }
}
