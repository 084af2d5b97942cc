import ImageCaches

/// The two clocks that are read here, in seconds.
enum Clock {
  /// Since 1970: what HTTP dates are compared with.
  static var now: Double { Double(DiskStore.nanoseconds()) / 1e9 }

  /// Only grows: what waits are measured by.
  static var monotonic: Double { RequestLocks.now }
}
