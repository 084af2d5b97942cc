/// The program's version, in the form that `--version` prints.
enum Version {
  static let number = "0.1.0"
  static let text = "imagemill \(number)"
}
