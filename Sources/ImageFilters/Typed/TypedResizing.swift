// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
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
  ///   - gravity: Position of the image.
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
  ///   - gravity: Position of the image.
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
  ///   - gravity: Position of the image.
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
  ///   - gravity: Position of the image.
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
  ///   - gravity: Part to keep.
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
  ///   - gravity: Part to keep.
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
  ///   - gravity: Part to keep.
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
  ///   - gravity: Part to keep.
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
  ///   - gravity: Part to keep.
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
  ///   - right: Columns to add on the right (default: that of top). Range: 0…65535 px, a whole number.
  ///   - bottom: Rows to add below (default: that of top). Range: 0…65535 px, a whole number.
  ///   - left: Columns to add on the left (default: that of right). Range: 0…65535 px, a whole number.
  ///   - background: Border color.
  ///   - mode: Fill with the border color, the mirrored image or repeated edge pixels.
  public static func extend(
    top: Int, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, background: Color = .transparent, mode: FilterChain.ExtendMode = .color
  ) -> FilterChain {
    FilterChain(
      typed: "extend",
      [("top", .integer(top)), ("right", right.map { .integer($0) }), ("bottom", bottom.map { .integer($0) }), ("left", left.map { .integer($0) }), ("background", .color(background)), ("mode", .word(mode.rawValue))])
  }
}
