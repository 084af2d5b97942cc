import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import ImageRendering

/// Makes thumbnails of the URLs on standard input: `Thumbnails DIRECTORY [NETWORK]`.
@main
struct Thumbnails {
  static func main() async throws {
    // Workers run this program too. A decoder that crashes fails its job, not the program.
    WorkerMain.runIfWorker()
    let directory = URL(filePath: CommandLine.arguments.dropFirst().first ?? "thumbnails")
    var configuration = BatchConfiguration()
    configuration.outputDirectory = directory
    var downloads = ImageDownloader.Configuration()
    if let network = CommandLine.arguments.dropFirst(2).first { _ = downloads.addressPolicy.allow(network) }
    let batch = try Batch(
      configuration, cacheDirectory: directory.appending(path: "cache"), downloads: downloads,
      rendering: .workerProcesses(WorkerConfiguration()))
    let jobs = AnyIterator { readLine() }.compactMap { URL(string: $0) }.map { url in
      Job(source: url, output: "{name}.webp", filters: .fill(width: 200, height: 150))
    }
    for await result in batch.results(of: jobs) {
      let error = result.outputs.first?.error
      print(result.source, error.map { "failed: \($0.message)" } ?? "done")
    }
    if await batch.summary.jobsFailed > 0 { exit(1) }
  }
}
