/// When an output is on the disk. A crash of the process loses no finished output at either level.
public enum Durability: String, Sendable, CaseIterable {
  /// The kernel writes outputs to the disk later. An output lost in a power cut is made again by the next
  /// run.
  case fast
  /// Each output and its name are on the disk before it is reported (`fdatasync`, and `fsync` of the directory).
  case safe
}
