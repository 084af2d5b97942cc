import Foundation
import ImageDownloads
import Testing

@testable import ImageBatch

/// `{dir}`: where a source lies below the place that sources are found in.
@Suite("Directories of sources", .timeLimit(.minutes(8)))
struct SourceRootTests {
  @Test(
    "a path's directory is relative to the root, and never leaves it",
    arguments: [
      ("site", "site/a/b/x.jpg", "a/b"), ("site", "site/x.jpg", ""), ("site", "x.jpg", ""),
      ("", "a/b/x.jpg", "a/b"), (".", "./a//b/./x.jpg", "a/b"), ("site", "site/../other/x.jpg", "other"),
      ("site", "../../x/y.jpg", "x"), ("/srv/site", "/srv/site/a/x.jpg", "a"),
      ("/srv", "/pics/1/x.jpg", "pics/1"),
      ("site", "site2/x.jpg", "site2"), ("/", "/a/x.jpg", "a"), ("site/", "site/a/x.jpg", "a"),
    ])
  func paths(root: String, path: String, expected: String) {
    #expect(SourceRoot(directory: root).directory(of: .file(path)) == expected)
  }

  @Test("an absolute path below a relative root has the same directory as a relative one")
  func absolutePaths() {
    let path = FileManager.default.currentDirectoryPath + "/site/a/b/x.jpg"
    #expect(SourceRoot(directory: "site").directory(of: .file(path)) == "a/b")
  }

  @Test(
    "a URL's directory is relative to the base",
    arguments: [
      ("https://cdn.example.com/a/b/x.jpg", "a/b"), ("https://CDN.example.com/img/2026/x.jpg", "2026"),
      ("https://cdn.example.com/img/x.jpg?v=a/b", ""),
      ("https://other.example.com/img/2026/x.jpg", "img/2026"),
      ("https://cdn.example.com/img/../../etc/x.jpg", "etc"),
      ("https://cdn.example.com/img/a%2Fb/x.jpg", "a_b"),
      ("https://cdn.example.com/img/a%20b/x.jpg", "a b"), ("https://cdn.example.com", ""),
    ])
  func urls(url: String, expected: String) {
    let root = SourceRoot(directory: "", base: "https://cdn.example.com/img/")
    #expect(root.directory(of: .url(url)) == expected)
  }

  @Test(
    "the template keeps the directory's separators, and nothing that leads out of it or hides",
    arguments: [
      ("{dir}/{name}.webp", "a/b", "a/b/x.webp"), ("{dir}/{name}.webp", "", "x.webp"),
      ("photos/{dir}/{name}.webp", "", "photos/x.webp"), ("photos/{dir}/{name}.webp", "a", "photos/a/x.webp"),
      ("{dir}-{name}.webp", "", "-x.webp"), ("{dir}{name}.webp", "a", "ax.webp"),
      ("{dir}/{name}.webp", "../../etc", "etc/x.webp"), ("{dir}/{name}.webp", "/etc", "etc/x.webp"),
      ("{dir}/{name}.webp", "a/./.git", "a/_git/x.webp"),
      ("{dir}/{name}.webp", "a\u{0}b/c\nd", "a_b/c_d/x.webp"),
      ("{dir}/\u{301}{name}.webp", "", "\u{301}x.webp"),
    ])
  func templates(template: String, directory: String, expected: String) throws {
    var values = OutputTemplate.Values(
      name: "x", host: "", path: "", index: 1, format: .webp, filter: "")
    values.directory = directory
    let parsed = try OutputTemplate(parsing: template)
    #expect(parsed.expanded(values, variables: [:]) == expected)
    #expect(!parsed.leavesDirectory)
  }

  @Test("a/b and a_b don't meet")
  func distinct() throws {
    let template = try OutputTemplate(parsing: "{dir}/{name}.webp")
    let paths = ["a/b/x.jpg", "a_b/x.jpg"].map { path in
      let job = Job(index: 1, sources: [.file(path)], outputs: [])
      var values = OutputTemplate.Values(
        name: "x", host: "", path: "", index: 1, format: .webp, filter: "")
      values.directory = SourceRoot(directory: "").directory(of: job.sources[0])
      return template.expanded(values, variables: [:])
    }
    #expect(paths == ["a/b/x.webp", "a_b/x.webp"])
  }

  @Test("a directory that may be none doesn't hide a path that leaves")
  func leaving() throws {
    #expect(try OutputTemplate(parsing: "{dir}/../{name}.webp").leavesDirectory)
    #expect(try OutputTemplate(parsing: "a/{dir}/../../{name}.webp").leavesDirectory)
    #expect(try !OutputTemplate(parsing: "a/{dir}/../{name}.webp").leavesDirectory)
  }
}
