import Testing

@testable import Vips

/// Images of known numbers, and looks at what comes out.
enum Sample {
  /// The formats of real numbers.
  static let formats: [BandFormat] = [
    .uchar, .char, .ushort, .short, .uint, .int, .float, .double,
  ]

  /// Numbers that differ from each of their neighbors, row by row, bands side by side.
  static func numbers(_ width: Int, _ height: Int, _ bands: Int) -> [Double] {
    (0..<width * height * bands).map { index in
      let (pixel, band) = (index / bands, index % bands)
      return Double((pixel % width * 7 + pixel / width * 31 + band * 53) % 127)
    }
  }

  /// The bytes of numbers in a format.
  static func bytes(_ numbers: [Double], as format: BandFormat) -> [UInt8] {
    func packed<Number>(_ convert: (Double) -> Number) -> [UInt8] {
      numbers.map(convert).withUnsafeBytes { Array($0) }
    }
    return switch format {
    case .uchar: packed { UInt8($0) }
    case .char: packed { Int8($0) }
    case .ushort: packed { UInt16($0) }
    case .short: packed { Int16($0) }
    case .uint: packed { UInt32($0) }
    case .int: packed { Int32($0) }
    case .float: packed { Float($0) }
    default: packed { $0 }
    }
  }

  /// An image's numbers, whatever their format.
  static func numbers(of image: VipsImage) throws -> [Double] {
    let bytes = try image.pixels()
    func unpacked<Number>(_ type: Number.Type, _ convert: (Number) -> Double) -> [Double] {
      stride(from: 0, to: bytes.count, by: MemoryLayout<Number>.size).map { offset in
        bytes.withUnsafeBytes { convert($0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
      }
    }
    return switch image.format {
    case .uchar: bytes.map(Double.init)
    case .char: unpacked(Int8.self) { Double($0) }
    case .ushort: unpacked(UInt16.self) { Double($0) }
    case .short: unpacked(Int16.self) { Double($0) }
    case .uint: unpacked(UInt32.self) { Double($0) }
    case .int: unpacked(Int32.self) { Double($0) }
    case .float: unpacked(Float.self) { Double($0) }
    default: unpacked(Double.self) { $0 }
    }
  }

  /// An image of `numbers(_:_:_:)`.
  static func image(
    _ width: Int, _ height: Int, bands: Int = 3, format: BandFormat = .uchar,
    interpretation: Interpretation? = nil
  ) throws -> VipsImage {
    try VipsImage(
      pixels: bytes(numbers(width, height, bands), as: format), width: width, height: height, bands: bands,
      format: format, interpretation: interpretation)
  }

  /// The image in a file format, by the saver's nickname without `save_buffer`.
  static func file(
    _ image: VipsImage, as format: String, _ options: VipsArguments = [:]
  ) throws -> [UInt8] {
    let input: VipsArguments = ["in": .image(image)]
    return try VipsOperation("\(format)save_buffer", input.merging(options)).bytes("buffer")
  }

  /// An image loaded from bytes, by the loader's nickname without `load_buffer`.
  static func loaded(
    _ bytes: [UInt8], as format: String, _ options: VipsArguments = [:]
  ) throws -> VipsImage {
    let input: VipsArguments = ["buffer": .bytes(bytes)]
    return try VipsOperation("\(format)load_buffer", input.merging(options)).image()
  }

  /// The error of a call of libvips.
  static func failure(_ body: () throws -> Void) -> VipsError? {
    do {
      try body()
      return nil
    } catch {
      return error as? VipsError
    }
  }
}
