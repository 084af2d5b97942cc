import Vips

/// Makes what stands for a picture until it is there.
struct PlaceholderMaking {
  let image: VipsImage

  init(_ image: VipsImage) { self.image = image }

  func placeholders() throws -> Placeholders? { nil }
}
