import Foundation

/// Headless Chromium, where there is one: in `PATH`, or named by `IMAGEMILL_CHROMIUM`.
struct Browser {
  let executable: URL

  static let installed: Browser? = {
    let environment = ProcessInfo.processInfo.environment
    let names = ["chromium", "chromium-browser", "google-chrome"]
    let candidates =
      environment["IMAGEMILL_CHROMIUM"].map { [$0] }
      ?? (environment["PATH"] ?? "").split(separator: ":").flatMap { folder in names.map { "\(folder)/\($0)" }
      }
    return candidates.first(where: FileManager.default.isExecutableFile(atPath:))
      .map { Browser(executable: URL(fileURLWithPath: $0)) }
  }()

  /// The page as the browser sees it once its script has run, and what the page said on its console. The window
  /// is `width` wide, in pixels.
  func document(at url: String, width: Int = 800) throws -> (html: String, console: [String]) {
    let home = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let (output, errors) = (home.appendingPathComponent("out"), home.appendingPathComponent("err"))
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = executable
    process.arguments = [
      "--headless=new", "--no-sandbox", "--window-size=\(width),600", "--disable-gpu",
      "--user-data-dir=\(home.path)/profile",
      "--enable-logging=stderr", "--virtual-time-budget=6000", "--dump-dom", url,
    ]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    let html = try String(contentsOf: output, encoding: .utf8)
    let console = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
      .split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
    try FileManager.default.removeItem(at: home)
    return (html, console)
  }
}
