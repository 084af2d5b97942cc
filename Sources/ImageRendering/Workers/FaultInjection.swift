#if DEBUG
  import Glibc

  /// Simulates failures in tests: with `IMAGEMILL_TEST_WORKER=ACTION:WORD`, a worker crashes, hangs, kills or stops itself
  /// (`crash`, `hang`, `kill`, `stop`) on sources whose name contains the word. Builds for release don't have it: no
  /// environment may crash their workers.
  struct FaultInjection {
    static let variable = "IMAGEMILL_TEST_WORKER"

    let action: String
    let word: String

    static var fromEnvironment: FaultInjection? {
      guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
      let parts = text.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      return FaultInjection(action: String(parts[0]), word: String(parts[1]))
    }

    func act(on request: RenderRequest) {
      guard request.sourceName.contains(word) else { return }
      switch action {
      case "crash": abort()
      case "hang": while true { pause() }
      case "kill": kill(getpid(), SIGKILL)
      case "stop": kill(getpid(), SIGSTOP)
      default: return
      }
    }
  }
#endif
