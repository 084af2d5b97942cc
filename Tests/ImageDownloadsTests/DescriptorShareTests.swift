import Testing

@testable import ImageDownloads

@Suite("Descriptors of downloads", .timeLimit(.minutes(8)))
struct DescriptorShareTests {
  @Test("fit into every limit of 64 or more with thirty to spare, and never leave none for a purpose")
  func share() {
    for limit in Array(1...1024) + [4096, 65_536, 1 << 20] {
      var configuration = ImageDownloader.Configuration()
      configuration.activeDownloads = 1000
      configuration.fit(intoDescriptors: limit)
      let uses = [
        configuration.connectionLimit, configuration.activeDownloads, configuration.diskConcurrency,
      ]
      #expect(uses.allSatisfy { $0 >= 1 })
      if limit >= 64 { #expect(uses.reduce(0, +) + 30 <= limit, "\(limit): \(uses)") }
    }
  }

  @Test("are no reason to raise what was asked for")
  func asked() {
    var configuration = ImageDownloader.Configuration()
    configuration.activeDownloads = 3
    configuration.fit(intoDescriptors: 4096)
    #expect(configuration.activeDownloads == 3)
  }
}
