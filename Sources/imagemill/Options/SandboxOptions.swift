import ArgumentParser
import ImageRendering

/// Options for a worker process, for commands that otherwise decode in their own.
protocol WorkerOptions: ParsableArguments {
  var sandbox: SandboxArgument? { get }
  var jobTimeout: DurationArgument { get }
}

extension WorkerOptions {
  /// - Throws: `ValidationError` if the kernel lacks what is required, or the time is 0.
  func check() throws {
    if let refusal = sandbox?.refusal(missing: WorkerSandbox.missing) { throw ValidationError(refusal) }
    if jobTimeout.duration <= .zero { throw ValidationError("--job-timeout must be more than 0") }
  }

  /// Where a single image is decoded.
  func mode(_ limits: LimitOptions) -> RenderingMode {
    guard let sandbox, sandbox != .off else { return .threads(1) }
    return .workerProcesses(
      WorkerConfiguration(
        slots: 1, timeout: jobTimeout.duration, memory: limits.totalMemory, sandbox: sandbox.sandbox))
  }
}

/// The options of `convert`.
struct ConversionWorkerOptions: WorkerOptions {
  @Option(
    help: ArgumentHelp(
      "Where to decode. auto: in a worker process with the restrictions that the kernel supports. strict: the same, but "
        + "fail unless the kernel has seccomp and Landlock. off: in this process; with -o, in a worker process without "
        + "restrictions (default: off; with -o: auto).",
      valueName: "auto|strict|off"))
  var sandbox: SandboxArgument?

  @Option(
    help: ArgumentHelp(
      "Time limit for rendering one job; no effect without a worker process.", valueName: "dur"))
  var jobTimeout = DurationArgument(BatchSettings().jobTimeout)

  func validate() throws { try check() }
}

/// The options of `inspect`.
struct InspectionWorkerOptions: WorkerOptions {
  @Option(
    help: ArgumentHelp(
      "Where to decode. auto: in a worker process with the restrictions that the kernel supports. strict: the same, but "
        + "fail unless the kernel has seccomp and Landlock. off: in this process (default: off).",
      valueName: "auto|strict|off"))
  var sandbox: SandboxArgument?

  @Option(
    help: ArgumentHelp(
      "Time limit for decoding one image; no effect without a worker process.", valueName: "dur"))
  var jobTimeout = DurationArgument(BatchSettings().jobTimeout)

  func validate() throws { try check() }
}

enum SandboxArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, strict, off

  var sandbox: WorkerSandbox {
    switch self {
    case .auto: .auto
    case .strict: .strict
    case .off: .off
    }
  }

  /// Why nothing can be rendered on this kernel; nil if it can.
  func refusal(missing: [String]) -> String? {
    guard self == .strict, !missing.isEmpty else { return nil }
    return "--sandbox strict requires a kernel with \(missing.joined(separator: " and ")); auto does without"
  }
}
