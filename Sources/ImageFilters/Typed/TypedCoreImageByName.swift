// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
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
