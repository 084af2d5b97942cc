import ImageCaches
import ImageDownloads
import ImageRendering

extension StepGraph.Rendering {
  /// Whether an output may leave the machine: none of the images that it is made from is private.
  /// - Parameter privates: The outputs of this run that must stay on the machine, and may be sources of others.
  func isShareable(_ key: ContentDigest, besides privates: PrivateOutputs) -> Bool {
    guard !privates.isPrivate(source), let output = outputs[key] else { return false }
    do throws(JobError) {
      return try auxiliary.sources(of: output).values.allSatisfy { !privates.isPrivate($0) }
    } catch {
      // The output fails for the same reason when it is rendered.
      return false
    }
  }
}

extension Encoding {
  /// Whether an output with this encoding can have a format.
  func allows(_ format: OutputFormat) -> Bool {
    followsSource || self.format == format || alternatives.contains { $0.format == format }
  }
}
