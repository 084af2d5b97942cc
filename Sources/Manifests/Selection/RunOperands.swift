import ImageRendering
import SystemIO

/// The operands of `run`: manifests, and outputs to make.
package struct RunOperands {
  package var manifests: [String] = []
  /// Operands with the extension of an image.
  package var targets: [String] = []

  /// Sorts the operands by their extensions.
  package init(_ operands: [String]) {
    let extensions = Set(EncoderTable.all.flatMap(\.pathExtensions))
    for operand in operands {
      let name = DirectoryEntry(operand).name
      let suffix = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
      if let suffix, extensions.contains(suffix) {
        targets.append(operand)
      } else {
        manifests.append(operand)
      }
    }
  }
}
