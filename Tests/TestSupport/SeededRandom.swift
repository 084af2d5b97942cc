import Glibc

/// Random numbers that a seed determines: Steele, Lea and Flood's SplitMix64.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed of this process's random tests: that of `IMAGEMILL_TEST_SEED`, which repeats a failure, else a new one. A
  /// test may ask for it when it begins, and again for its message when it fails.
  public static let seed: UInt64 = {
    let given = getenv("IMAGEMILL_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0 ... .max)
    // Here too, since not every expectation has it in its message.
    print("IMAGEMILL_TEST_SEED=\(seed)")
    return seed
  }()

  private var state: UInt64

  /// The numbers of a seed.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
