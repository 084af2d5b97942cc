/// Coarse estimates of filters' times.
///
/// They are rounded up from measurements of `convert` with 4-megapixel images of three bands on a server's processor of
/// 2024, by kind of filter: within a kind, filters differ by a factor of three.
enum FilterCost {
  /// - Parameters:
  ///   - definition: The filter; nil for a program's own.
  ///   - input: The filter's input.
  ///   - output: The filter's result.
  static func seconds(
    of definition: FilterDefinition?, from input: FrameForecast, to output: FrameForecast
  ) -> Double {
    let nanoseconds: Double =
      switch definition?.category {
      case .resizing: 25
      case .orientation: 60
      case .shape: 80
      case .tone: 40
      case .effects: 250
      case .composition: 50
      case .coreImage, nil: 100
      }
    return max(input.pixels, output.pixels) * nanoseconds * 1e-9
  }
}

extension FrameForecast {
  fileprivate var pixels: Double { Double(extent.width) * Double(extent.height) }
}
