import SystemIO

/// A walk over the blocks of a GIF file (GIF89a specification).
///
/// libvips takes what frames there are: a file that is cut off loses its last ones without an error, and one whose
/// compressed data end early is black below.
struct GIFBlocks: ~Copyable {
  /// What a walk has found.
  struct Finding: Hashable {
    /// Frames whose blocks are all there.
    var frames = 0
    /// Whether the file goes on to its trailer.
    var isWhole = false
    /// The first frame, from 1, whose data are fewer than its pixels; nil where each has enough.
    var shortFrame: Int?
  }

  private var file: FileBytes
  private var place = 0

  /// - Parameter file: One that begins with GIF's signature.
  init(_ file: consuming FileBytes) { self.file = file }

  /// - Parameter countingPixels: Whether the compressed data are read, too.
  mutating func walk(countingPixels: Bool) -> Finding {
    var finding = Finding()
    guard let flags = file.byte(10) else { return finding }
    place = 13 + Self.paletteSize(flags)
    while let kind = file.byte(place) {
      switch kind {
      case 0x21:
        place += 2
        guard skipData() else { return finding }
      case 0x2C:
        guard let width = file.number(place + 5, 2, littleEndian: true),
          let height = file.number(place + 7, 2, littleEndian: true), let flags = file.byte(place + 9)
        else { return finding }
        place += 10 + Self.paletteSize(flags)
        guard let codeSize = file.byte(place) else { return finding }
        place += 1
        if countingPixels, finding.shortFrame == nil {
          let start = place
          if !hasPixels(width * height, codeSize: Int(codeSize)) { finding.shortFrame = finding.frames + 1 }
          place = start
        }
        guard skipData() else { return finding }
        finding.frames += 1
      case 0x3B:
        finding.isWhole = true
        return finding
      default:
        // Some writers leave zeros between blocks. Anything else is nothing that a decoder could go on from.
        guard kind == 0 else { return finding }
        place += 1
      }
    }
    return finding
  }

  private static func paletteSize(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// Goes past a row of data blocks and the empty one that ends it.
  private mutating func skipData() -> Bool {
    while let length = file.byte(place) {
      place += 1 + Int(length)
      if length == 0 { return true }
    }
    return false
  }

  /// Whether the frame's codes (GIF's LZW, appendix F) stand for so many pixels. Of each code only the length of what it
  /// stands for is kept.
  private mutating func hasPixels(_ wanted: Int, codeSize: Int) -> Bool {
    guard (1...11).contains(codeSize) else { return false }
    let clear = 1 << codeSize
    var lengths = [Int](repeating: 1, count: 4096)
    var (next, width, previous) = (clear + 2, codeSize + 1, -1)
    var (bits, bitCount, pixels) = (0, 0, 0)
    var left = 0
    while pixels < wanted {
      while bitCount < width {
        if left == 0 {
          guard let length = file.byte(place), length > 0 else { return false }
          left = Int(length)
          place += 1
        }
        guard let byte = file.byte(place) else { return false }
        place += 1
        left -= 1
        bits |= Int(byte) << bitCount
        bitCount += 8
      }
      let code = bits & (1 << width - 1)
      bits >>= width
      bitCount -= width
      if code == clear {
        (next, width, previous) = (clear + 2, codeSize + 1, -1)
        continue
      }
      // The end, and codes that nothing has been given to.
      guard code != clear + 1, code < next || code == next && previous >= 0 else { return false }
      if previous >= 0, next < 4096 {
        lengths[next] = lengths[previous] + 1
        next += 1
        if next == 1 << width, width < 12 { width += 1 }
      }
      pixels += code < clear ? 1 : lengths[code]
      previous = code
    }
    return true
  }
}
