// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  // MARK: Resizing

  /// `scale`: resize to exactly this size, ignoring the aspect ratio.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func scale(
    width: Int, height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "scale",
      [("size", .size(.exact(width: width, height: height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `scale`: resize to exactly this size, ignoring the aspect ratio.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func scale(
    width: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "scale",
      [("size", .size(.width(width))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `scale`: resize to exactly this size, ignoring the aspect ratio.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func scale(
    height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "scale",
      [("size", .size(.height(height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `scale`: resize to exactly this size, ignoring the aspect ratio.
  /// - Parameters:
  ///   - size: Target size.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func scale(
    _ size: SizeSpecification, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "scale",
      [("size", .size(size)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fit`: resize to fit inside this size, keeping the aspect ratio.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fit(
    width: Int, height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fit",
      [("size", .size(.exact(width: width, height: height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fit`: resize to fit inside this size, keeping the aspect ratio.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fit(
    width: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fit",
      [("size", .size(.width(width))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fit`: resize to fit inside this size, keeping the aspect ratio.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fit(
    height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fit",
      [("size", .size(.height(height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fit`: resize to fit inside this size, keeping the aspect ratio.
  /// - Parameters:
  ///   - size: Target size.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fit(
    _ size: SizeSpecification, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fit",
      [("size", .size(size)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `limit`: like fit, but never enlarge.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func limit(
    width: Int, height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "limit",
      [("size", .size(.exact(width: width, height: height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `limit`: like fit, but never enlarge.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func limit(
    width: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "limit",
      [("size", .size(.width(width))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `limit`: like fit, but never enlarge.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func limit(
    height: Int, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "limit",
      [("size", .size(.height(height))), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `limit`: like fit, but never enlarge.
  /// - Parameters:
  ///   - size: Target size.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func limit(
    _ size: SizeSpecification, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "limit",
      [("size", .size(size)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `pad`: like fit, then place on a canvas of exactly that size.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - background: Canvas color.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func pad(
    width: Int, height: Int, background: Color = .transparent, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "pad",
      [("size", .size(.exact(width: width, height: height))), ("background", .color(background)), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `pad`: like fit, then place on a canvas of exactly that size.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - background: Canvas color.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func pad(
    width: Int, background: Color = .transparent, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "pad",
      [("size", .size(.width(width))), ("background", .color(background)), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `pad`: like fit, then place on a canvas of exactly that size.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - background: Canvas color.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func pad(
    height: Int, background: Color = .transparent, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "pad",
      [("size", .size(.height(height))), ("background", .color(background)), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `pad`: like fit, then place on a canvas of exactly that size.
  /// - Parameters:
  ///   - size: Target size.
  ///   - background: Canvas color.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func pad(
    _ size: SizeSpecification, background: Color = .transparent, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "pad",
      [("size", .size(size)), ("background", .color(background)), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fill`: resize to cover this size, keeping the aspect ratio, and crop the excess.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fill(
    width: Int, height: Int, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fill",
      [("size", .size(.exact(width: width, height: height))), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fill`: resize to cover this size, keeping the aspect ratio, and crop the excess.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fill(
    width: Int, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fill",
      [("size", .size(.width(width))), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fill`: resize to cover this size, keeping the aspect ratio, and crop the excess.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fill(
    height: Int, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fill",
      [("size", .size(.height(height))), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `fill`: resize to cover this size, keeping the aspect ratio, and crop the excess.
  /// - Parameters:
  ///   - size: Target size.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - snap: Round to whole pixels; false keeps fractions and anti-aliases the edges.
  ///   - kernel: Resampling kernel.
  ///   - linear: Resample in linear light instead of sRGB values.
  public static func fill(
    _ size: SizeSpecification, gravity: Gravity = .center, snap: Bool = true, kernel: FilterChain.Kernel = .lanczos3, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "fill",
      [("size", .size(size)), ("gravity", .gravity(gravity)), ("snap", .boolean(snap)), ("kernel", .word(kernel.rawValue)), ("linear", .boolean(linear))])
  }

  /// `crop`: keep a region of the image.
  /// - Parameters:
  ///   - area: Region to keep: a size placed by gravity, or a size and an offset.
  ///   - gravity: Which part to keep, or where to place the image.
  ///   - clip: Clip a region that extends beyond the image, instead of failing.
  public static func crop(
    _ area: CropArea, gravity: Gravity = .center, clip: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "crop",
      [("area", .area(area)), ("gravity", .gravity(gravity)), ("clip", .boolean(clip))])
  }

  /// `trim`: remove a border of one color.
  /// - Parameters:
  ///   - threshold: Maximum difference from the border color, per channel. Range: 0…255.
  ///   - background: Border color (default: the color of the top left pixel).
  public static func trim(
    threshold: Double = 10, background: Color? = nil
  ) -> FilterChain {
    FilterChain(
      typed: "trim",
      [("threshold", .number(threshold)), ("background", background.map { .color($0) })])
  }

  /// `extend`: add a border.
  /// - Parameters:
  ///   - top: Rows to add above. Range: 0…65535 px, a whole number.
  ///   - right: Columns to add on the right (default: top). Range: 0…65535 px, a whole number.
  ///   - bottom: Rows to add below (default: top). Range: 0…65535 px, a whole number.
  ///   - left: Columns to add on the left (default: right). Range: 0…65535 px, a whole number.
  ///   - background: Border color.
  ///   - mode: Fill with the border color, the mirrored image or repeated edge pixels.
  public static func extend(
    top: Int, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, background: Color = .transparent, mode: FilterChain.ExtendMode = .color
  ) -> FilterChain {
    FilterChain(
      typed: "extend",
      [("top", .integer(top)), ("right", right.map { .integer($0) }), ("bottom", bottom.map { .integer($0) }), ("left", left.map { .integer($0) }), ("background", .color(background)), ("mode", .word(mode.rawValue))])
  }

  // MARK: Shape

  /// `rounded`: round the corners, with transparency and anti-aliased edges.
  /// - Parameters:
  ///   - radius: Radius of the corners without their own radius, at most half the shorter side.
  ///   - tl: Radius of the top left corner.
  ///   - tr: Radius of the top right corner.
  ///   - br: Radius of the bottom right corner.
  ///   - bl: Radius of the bottom left corner.
  ///   - style: A quarter circle, or Apple's smoother continuous curve.
  public static func rounded(
    radius: Length? = nil, tl: Length? = nil, tr: Length? = nil, br: Length? = nil, bl: Length? = nil, style: FilterChain.RoundedStyle = .continuous
  ) -> FilterChain {
    FilterChain(
      typed: "rounded",
      [("radius", radius.map { .length($0) }), ("tl", tl.map { .length($0) }), ("tr", tr.map { .length($0) }), ("br", br.map { .length($0) }), ("bl", bl.map { .length($0) }), ("style", .word(style.rawValue))])
  }

  /// `circle`: crop to the center square, then cut out a circle.
  public static var circle: FilterChain { FilterChain(typed: "circle") }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  public static func fillCircle(
    width: Int, height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.exact(width: width, height: height)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  public static func fillCircle(
    width: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.width(width)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  public static func fillCircle(
    height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.height(height)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - size: Target size.
  public static func fillCircle(
    _ size: SizeSpecification
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(size))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    width: Int, height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.exact(width: width, height: height))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    width: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.width(width))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.height(height))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - size: Target size.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    _ size: SizeSpecification, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(size)), ("radius", .length(radius))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  public static func scaleCircle(
    width: Int, height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.exact(width: width, height: height)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  public static func scaleCircle(
    width: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.width(width)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  public static func scaleCircle(
    height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.height(height)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - size: Target size.
  public static func scaleCircle(
    _ size: SizeSpecification
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(size))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    width: Int, height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.exact(width: width, height: height))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    width: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.width(width))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.height(height))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - size: Target size.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    _ size: SizeSpecification, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(size)), ("radius", .length(radius))])
  }

  // MARK: Orientation

  /// `rotate`: rotate clockwise (multiples of 90 are lossless; other angles enlarge the canvas).
  /// - Parameters:
  ///   - angle: Clockwise angle. Range: -360…360 degrees.
  ///   - background: Color of the uncovered corners.
  public static func rotate(
    _ angle: Double, background: Color = .transparent
  ) -> FilterChain {
    FilterChain(
      typed: "rotate",
      [("angle", .number(angle)), ("background", .color(background))])
  }

  /// `flip`: mirror vertically, top to bottom.
  public static var flip: FilterChain { FilterChain(typed: "flip") }

  /// `flop`: mirror horizontally, left to right.
  public static var flop: FilterChain { FilterChain(typed: "flop") }

  // MARK: Color and tone

  /// `grayscale`: convert to gray of the same luminance.
  public static var grayscale: FilterChain { FilterChain(typed: "grayscale") }

  /// `sepia`: apply a sepia tone, as CISepiaTone does.
  /// - Parameters:
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func sepia(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "sepia",
      [("intensity", .number(intensity))])
  }

  /// `invert`: invert the colors.
  public static var invert: FilterChain { FilterChain(typed: "invert") }

  /// `brightness`: lighten or darken by adding an amount to every channel.
  /// - Parameters:
  ///   - amount: Amount to add, where 1 is white; 0 changes nothing. Range: -1…1.
  public static func brightness(
    _ amount: Double
  ) -> FilterChain {
    FilterChain(
      typed: "brightness",
      [("amount", .number(amount))])
  }

  /// `contrast`: increase or reduce the contrast around middle gray.
  /// - Parameters:
  ///   - factor: Above 1 increases the contrast; 1 changes nothing. Range: 0…10.
  public static func contrast(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "contrast",
      [("factor", .number(factor))])
  }

  /// `saturation`: make colors stronger or weaker.
  /// - Parameters:
  ///   - factor: 0 is gray, 1 changes nothing, above 1 is stronger. Range: 0…10.
  public static func saturation(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "saturation",
      [("factor", .number(factor))])
  }

  /// `hue`: rotate the hue.
  /// - Parameters:
  ///   - angle: Rotation on the color wheel; 0 changes nothing. Range: -360…360 degrees.
  public static func hue(
    _ angle: Double
  ) -> FilterChain {
    FilterChain(
      typed: "hue",
      [("angle", .number(angle))])
  }

  /// `gamma`: lighten or darken the midtones.
  /// - Parameters:
  ///   - gamma: Above 1 lightens, below 1 darkens, 1 changes nothing. Range: 0.1…10.
  public static func gamma(
    _ gamma: Double
  ) -> FilterChain {
    FilterChain(
      typed: "gamma",
      [("gamma", .number(gamma))])
  }

  /// `exposure`: change the exposure in linear light.
  /// - Parameters:
  ///   - stops: Each stop doubles the light; 0 changes nothing. Range: -10…10 EV.
  public static func exposure(
    _ stops: Double
  ) -> FilterChain {
    FilterChain(
      typed: "exposure",
      [("stops", .number(stops))])
  }

  /// `tint`: color the image in shades of one color.
  /// - Parameters:
  ///   - color: Color of the midtones; black and white stay unchanged.
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func tint(
    _ color: Color, intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "tint",
      [("colour", .color(color)), ("intensity", .number(intensity))])
  }

  /// `duotone`: map the tones to a gradient between two colors.
  /// - Parameters:
  ///   - dark: Color that replaces black.
  ///   - light: Color that replaces white.
  public static func duotone(
    dark: Color, light: Color
  ) -> FilterChain {
    FilterChain(
      typed: "duotone",
      [("dark", .color(dark)), ("light", .color(light))])
  }

  /// `opacity`: multiply the alpha channel.
  /// - Parameters:
  ///   - factor: 0 is fully transparent, 1 changes nothing. Range: 0…1.
  public static func opacity(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "opacity",
      [("factor", .number(factor))])
  }

  /// `flatten`: remove the alpha channel by placing the image on a background.
  /// - Parameters:
  ///   - background: Background color; its alpha is ignored.
  public static func flatten(
    background: Color = .white
  ) -> FilterChain {
    FilterChain(
      typed: "flatten",
      [("background", .color(background))])
  }

  /// `normalize`: stretch the tones from black to white, clipping the darkest and lightest 1%.
  public static var normalize: FilterChain { FilterChain(typed: "normalize") }

  /// `posterize`: reduce each channel to a few levels.
  /// - Parameters:
  ///   - levels: Levels per channel. Range: 2…256, a whole number.
  public static func posterize(
    _ levels: Int
  ) -> FilterChain {
    FilterChain(
      typed: "posterize",
      [("levels", .integer(levels))])
  }

  /// `threshold`: make every pixel black or white.
  /// - Parameters:
  ///   - level: Luma from which a pixel becomes white. Range: 0…255.
  public static func threshold(
    level: Double = 128
  ) -> FilterChain {
    FilterChain(
      typed: "threshold",
      [("level", .number(level))])
  }

  // MARK: Effects

  /// `blur`: Gaussian blur.
  /// - Parameters:
  ///   - radius: Standard deviation. Range: 0…1000 px.
  ///   - edge: Pixels beyond the image: repeated or transparent; extend also grows the canvas by 3 radii on each side.
  ///   - linear: Blur in linear light instead of sRGB values.
  public static func blur(
    radius: Double = 10, edge: FilterChain.BlurEdge = .clamp, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "blur",
      [("radius", .number(radius)), ("edge", .word(edge.rawValue)), ("linear", .boolean(linear))])
  }

  /// `box-blur`: box blur: the mean of the square around each pixel.
  /// - Parameters:
  ///   - radius: Pixels on each side of the center pixel. Range: 0…1000 px, a whole number.
  public static func boxBlur(
    radius: Int = 10
  ) -> FilterChain {
    FilterChain(
      typed: "box-blur",
      [("radius", .integer(radius))])
  }

  /// `median`: median filter: remove specks, keep edges.
  /// - Parameters:
  ///   - size: Side of the square, rounded up to an odd number. Range: 1…63 px, a whole number.
  public static func median(
    size: Int = 3
  ) -> FilterChain {
    FilterChain(
      typed: "median",
      [("size", .integer(size))])
  }

  /// `sharpen`: sharpen the luma without changing colors.
  /// - Parameters:
  ///   - sigma: Standard deviation of the blur; small for fine detail. Range: 0.1…10 px.
  ///   - amount: Strength; 0 changes nothing. Range: 0…10.
  public static func sharpen(
    sigma: Double = 1, amount: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "sharpen",
      [("sigma", .number(sigma)), ("amount", .number(amount))])
  }

  /// `unsharp`: unsharp mask: sharpen by the difference from a Gaussian blur.
  /// - Parameters:
  ///   - radius: Standard deviation of the blur. Range: 0…100 px.
  ///   - intensity: Strength; 0 changes nothing. Range: 0…10.
  public static func unsharp(
    radius: Double = 2.5, intensity: Double = 0.5
  ) -> FilterChain {
    FilterChain(
      typed: "unsharp",
      [("radius", .number(radius)), ("intensity", .number(intensity))])
  }

  /// `pixelate`: replace squares of pixels by their mean color.
  /// - Parameters:
  ///   - size: Side of the squares. Range: 1…1000 px, a whole number.
  public static func pixelate(
    size: Int = 8
  ) -> FilterChain {
    FilterChain(
      typed: "pixelate",
      [("size", .integer(size))])
  }

  /// `vignette`: darken the image toward the corners.
  /// - Parameters:
  ///   - intensity: Darkness of the corners; 1 is black. Range: 0…1.
  ///   - radius: Where darkening starts; 0 is the center, 1 the corners. Range: 0…2.
  public static func vignette(
    intensity: Double = 0.5, radius: Double = 0.5
  ) -> FilterChain {
    FilterChain(
      typed: "vignette",
      [("intensity", .number(intensity)), ("radius", .number(radius))])
  }

  /// `edges`: show edges, light on black (Sobel operator).
  /// - Parameters:
  ///   - intensity: Brightness of the edges. Range: 0…100.
  public static func edges(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "edges",
      [("intensity", .number(intensity))])
  }

  // MARK: Composition

  /// `overlay`: place another image over this one.
  /// - Parameters:
  ///   - source: The image to place.
  ///   - gravity: Where to place it.
  ///   - x: Horizontal offset: inward from an edge, or to the right of the center. Range: -65535…65535 px, a whole number.
  ///   - y: Vertical offset: inward from an edge, or down from the center. Range: -65535…65535 px, a whole number.
  ///   - opacity: 0 is transparent, 1 is opaque. Range: 0…1.
  ///   - scale: Scale factor of the overlay. Range: 0.001…100.
  ///   - tile: Repeat the overlay across the whole image.
  ///   - blend: Blend mode.
  public static func overlay(
    _ source: String, gravity: Gravity = .center, x: Int = 0, y: Int = 0, opacity: Double = 1, scale: Double = 1, tile: Bool = false, blend: FilterChain.OverlayBlend = .over
  ) -> FilterChain {
    FilterChain(
      typed: "overlay",
      [("source", .text(source)), ("gravity", .gravity(gravity)), ("x", .integer(x)), ("y", .integer(y)), ("opacity", .number(opacity)), ("scale", .number(scale)), ("tile", .boolean(tile)), ("blend", .word(blend.rawValue))])
  }

  /// `text`: draw text over the image.
  /// - Parameters:
  ///   - string: The text to draw; write , : = % as %2C %3A %3D %25.
  ///   - font: Font family and style (sans bold), or the path of a font file.
  ///   - size: Font size. Range: 1…2000 px.
  ///   - color: Text color.
  ///   - gravity: Where to place it.
  ///   - x: Horizontal offset: inward from an edge, or to the right of the center. Range: -65535…65535 px, a whole number.
  ///   - y: Vertical offset: inward from an edge, or down from the center. Range: -65535…65535 px, a whole number.
  ///   - opacity: 0 is transparent, 1 is opaque. Range: 0…1.
  ///   - width: Width at which lines wrap (default: the image's width). Range: 1…65535 px, a whole number.
  public static func text(
    _ string: String, font: String = "sans", size: Double = 32, color: Color = .black, gravity: Gravity = .center, x: Int = 0, y: Int = 0, opacity: Double = 1, width: Int? = nil
  ) -> FilterChain {
    FilterChain(
      typed: "text",
      [("string", .text(string)), ("font", .text(font)), ("size", .number(size)), ("colour", .color(color)), ("gravity", .gravity(gravity)), ("x", .integer(x)), ("y", .integer(y)), ("opacity", .number(opacity)), ("width", width.map { .integer($0) })])
  }

  /// `mask`: make the image transparent where a mask is dark or transparent.
  /// - Parameters:
  ///   - source: The mask image, which is scaled to this image's size.
  public static func mask(
    _ source: String
  ) -> FilterChain {
    FilterChain(
      typed: "mask",
      [("source", .text(source))])
  }

  /// `transition`: make an animation from another image to this one (the output format must hold animations).
  /// - Parameters:
  ///   - from: The first image, scaled and cropped to this image's size.
  ///   - kind: Transition effect.
  ///   - duration: Total duration. Range: 1…60000 ms, also written as 400ms or 0.4s.
  ///   - fps: Frames per second. Range: 1…60, a whole number.
  public static func transition(
    from: String, kind: FilterChain.TransitionKind = .crossdissolve, duration: Duration = .milliseconds(400), fps: Int = 30
  ) -> FilterChain {
    FilterChain(
      typed: "transition",
      [("from", .text(from)), ("kind", .word(kind.rawValue)), ("duration", .duration(duration)), ("fps", .integer(fps))])
  }

  // MARK: Core Image by name

  /// `ci:CIGaussianBlur`: Gaussian blur; grows the canvas by 3 radii on each side.
  /// - Parameters:
  ///   - radius: Standard deviation in pixels. Range: 0…1000.
  public static func ciGaussianBlur(
    radius: Double = 10
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIGaussianBlur",
      [("inputRadius", .number(radius))])
  }

  /// `ci:CIBoxBlur`: box blur; grows the canvas by one radius on each side.
  /// - Parameters:
  ///   - radius: Half the side of the box in pixels. Range: 0…1000.
  public static func ciBoxBlur(
    radius: Double = 10
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIBoxBlur",
      [("inputRadius", .number(radius))])
  }

  /// `ci:CIMedianFilter`: median of each 3x3 square.
  public static var ciMedianFilter: FilterChain { FilterChain(typed: "ci:CIMedianFilter") }

  /// `ci:CIColorControls`: adjust saturation, brightness and contrast.
  /// - Parameters:
  ///   - saturation: 0 is gray. Range: 0…2.
  ///   - brightness: Amount added to every channel. Range: -1…1.
  ///   - contrast: Factor around middle gray. Range: 0…4.
  public static func ciColorControls(
    saturation: Double = 1, brightness: Double = 0, contrast: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIColorControls",
      [("inputSaturation", .number(saturation)), ("inputBrightness", .number(brightness)), ("inputContrast", .number(contrast))])
  }

  /// `ci:CIColorMatrix`: replace each channel by a weighted sum of all channels plus a bias.
  /// - Parameters:
  ///   - rVector: Weights of R G B A in red. 4 numbers.
  ///   - gVector: Weights of R G B A in green. 4 numbers.
  ///   - bVector: Weights of R G B A in blue. 4 numbers.
  ///   - aVector: Weights of R G B A in alpha. 4 numbers.
  ///   - biasVector: Bias added to R G B A. 4 numbers.
  public static func ciColorMatrix(
    rVector: [Double] = [1, 0, 0, 0], gVector: [Double] = [0, 1, 0, 0], bVector: [Double] = [0, 0, 1, 0], aVector: [Double] = [0, 0, 0, 1], biasVector: [Double] = [0, 0, 0, 0]
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIColorMatrix",
      [("inputRVector", .vector(rVector)), ("inputGVector", .vector(gVector)), ("inputBVector", .vector(bVector)), ("inputAVector", .vector(aVector)), ("inputBiasVector", .vector(biasVector))])
  }

  /// `ci:CIExposureAdjust`: change the exposure in linear light.
  /// - Parameters:
  ///   - eV: Stops; each doubles the light. Range: -10…10.
  public static func ciExposureAdjust(
    eV: Double = 0
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIExposureAdjust",
      [("inputEV", .number(eV))])
  }

  /// `ci:CIGammaAdjust`: raise linear light to a power.
  /// - Parameters:
  ///   - power: Exponent; above 1 darkens. Range: 0.1…4.
  public static func ciGammaAdjust(
    power: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIGammaAdjust",
      [("inputPower", .number(power))])
  }

  /// `ci:CIHueAdjust`: rotate the hue.
  /// - Parameters:
  ///   - angle: Rotation in radians. Range: -3.141592653589793…3.141592653589793.
  public static func ciHueAdjust(
    angle: Double = 0
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIHueAdjust",
      [("inputAngle", .number(angle))])
  }

  /// `ci:CIVibrance`: saturate weak colors more than strong ones.
  /// - Parameters:
  ///   - amount: 0 changes nothing. Range: -1…1.
  public static func ciVibrance(
    amount: Double = 0
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIVibrance",
      [("inputAmount", .number(amount))])
  }

  /// `ci:CIWhitePointAdjust`: map white to a color, scaling all other colors with it.
  /// - Parameters:
  ///   - color: The new white.
  public static func ciWhitePointAdjust(
    color: Color = .white
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIWhitePointAdjust",
      [("inputColor", .color(color))])
  }

  /// `ci:CISepiaTone`: apply a sepia tone.
  /// - Parameters:
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func ciSepiaTone(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CISepiaTone",
      [("inputIntensity", .number(intensity))])
  }

  /// `ci:CIColorInvert`: invert the colors.
  public static var ciColorInvert: FilterChain { FilterChain(typed: "ci:CIColorInvert") }

  /// `ci:CIColorMonochrome`: color the image in shades of one color.
  /// - Parameters:
  ///   - color: Color that replaces white.
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func ciColorMonochrome(
    color: Color = Color(red: 153, green: 115, blue: 77, alpha: 255), intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIColorMonochrome",
      [("inputColor", .color(color)), ("inputIntensity", .number(intensity))])
  }

  /// `ci:CIColorPosterize`: reduce each channel to a few levels.
  /// - Parameters:
  ///   - levels: Levels per channel. Range: 2…30.
  public static func ciColorPosterize(
    levels: Double = 6
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIColorPosterize",
      [("inputLevels", .number(levels))])
  }

  /// `ci:CIPhotoEffectMono`: black and white with reduced contrast.
  public static var ciPhotoEffectMono: FilterChain { FilterChain(typed: "ci:CIPhotoEffectMono") }

  /// `ci:CIPhotoEffectNoir`: black and white with increased contrast.
  public static var ciPhotoEffectNoir: FilterChain { FilterChain(typed: "ci:CIPhotoEffectNoir") }

  /// `ci:CIPhotoEffectTonal`: black and white with unchanged contrast.
  public static var ciPhotoEffectTonal: FilterChain { FilterChain(typed: "ci:CIPhotoEffectTonal") }

  /// `ci:CIMaximumComponent`: gray from each pixel's largest channel.
  public static var ciMaximumComponent: FilterChain { FilterChain(typed: "ci:CIMaximumComponent") }

  /// `ci:CIMinimumComponent`: gray from each pixel's smallest channel.
  public static var ciMinimumComponent: FilterChain { FilterChain(typed: "ci:CIMinimumComponent") }

  /// `ci:CIMaskToAlpha`: white, with luminance as alpha.
  public static var ciMaskToAlpha: FilterChain { FilterChain(typed: "ci:CIMaskToAlpha") }

  /// `ci:CISharpenLuminance`: sharpen the luma without changing colors.
  /// - Parameters:
  ///   - sharpness: 0 changes nothing. Range: 0…2.
  ///   - radius: Standard deviation of the blur, in pixels. Range: 0.1…20.
  public static func ciSharpenLuminance(
    sharpness: Double = 0.4, radius: Double = 1.69
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CISharpenLuminance",
      [("inputSharpness", .number(sharpness)), ("inputRadius", .number(radius))])
  }

  /// `ci:CIUnsharpMask`: unsharp mask: sharpen by the difference from a Gaussian blur.
  /// - Parameters:
  ///   - radius: Standard deviation of the blur, in pixels. Range: 0…100.
  ///   - intensity: 0 changes nothing. Range: 0…1.
  public static func ciUnsharpMask(
    radius: Double = 2.5, intensity: Double = 0.5
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIUnsharpMask",
      [("inputRadius", .number(radius)), ("inputIntensity", .number(intensity))])
  }

  /// `ci:CIPixellate`: replace squares of pixels by their mean color.
  /// - Parameters:
  ///   - center: Center of one square, in pixels from the bottom left. 2 numbers.
  ///   - scale: Side of the squares in pixels. Range: 1…100.
  public static func ciPixellate(
    center: [Double] = [150, 150], scale: Double = 8
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIPixellate",
      [("inputCenter", .vector(center)), ("inputScale", .number(scale))])
  }

  /// `ci:CIVignette`: darken or lighten the corners.
  /// - Parameters:
  ///   - intensity: Above 0 darkens, below 0 lightens, 0 changes nothing. Range: -1…1.
  ///   - radius: How far the effect reaches inward from the corners. Range: 0…2.
  public static func ciVignette(
    intensity: Double = 0, radius: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIVignette",
      [("inputIntensity", .number(intensity)), ("inputRadius", .number(radius))])
  }

  /// `ci:CIEdges`: show edges, light on black.
  /// - Parameters:
  ///   - intensity: Brightness of the edges. Range: 0…10.
  public static func ciEdges(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "ci:CIEdges",
      [("inputIntensity", .number(intensity))])
  }

}

extension FilterChain {
  /// Resampling kernel.
  public enum Kernel: String, Sendable, CaseIterable {
    case lanczos3
    case lanczos2
    case mitchell
    case cubic
    case linear
    case nearest
  }

  /// Fill with the border color, the mirrored image or repeated edge pixels.
  public enum ExtendMode: String, Sendable, CaseIterable {
    case color = "colour"
    case mirror
    case copy
  }

  /// A quarter circle, or Apple's smoother continuous curve.
  public enum RoundedStyle: String, Sendable, CaseIterable {
    case circular
    case continuous
  }

  /// Pixels beyond the image: repeated or transparent; extend also grows the canvas by 3 radii on each side.
  public enum BlurEdge: String, Sendable, CaseIterable {
    case clamp
    case transparent
    case extend
  }

  /// Blend mode.
  public enum OverlayBlend: String, Sendable, CaseIterable {
    case over
    case multiply
    case screen
    case overlay
    case darken
    case lighten
    case add
    case colorDodge = "colour-dodge"
    case colorBurn = "colour-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference
    case exclusion
  }

  /// Transition effect.
  public enum TransitionKind: String, Sendable, CaseIterable {
    case crossdissolve
    case flipLeft = "flip-left"
    case flipRight = "flip-right"
    case flipTop = "flip-top"
    case flipBottom = "flip-bottom"
  }
}
