// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

extension FilterChain {
  /// Resampling kernel.
  public enum Kernel: String, Sendable, CaseIterable {
    case lanczos3
    case lanczos2
    case mitchell
    case cubic
    case linear
    case nearest
  }

  /// Fill with the border color, the mirrored image or repeated edge pixels.
  public enum ExtendMode: String, Sendable, CaseIterable {
    case color = "colour"
    case mirror
    case copy
  }

  /// A quarter circle, or Apple's smoother continuous curve.
  public enum RoundedStyle: String, Sendable, CaseIterable {
    case circular
    case continuous
  }

  /// Pixels beyond the image: clamp repeats the edge pixels; transparent makes them transparent; extend also makes them transparent, and grows the canvas by 3 radii on each side.
  public enum BlurEdge: String, Sendable, CaseIterable {
    case clamp
    case transparent
    case extend
  }

  /// Blend mode.
  public enum OverlayBlend: String, Sendable, CaseIterable {
    case over
    case multiply
    case screen
    case overlay
    case darken
    case lighten
    case add
    case colorDodge = "colour-dodge"
    case colorBurn = "colour-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference
    case exclusion
  }

  /// Transition effect.
  public enum TransitionKind: String, Sendable, CaseIterable {
    case crossdissolve
    case flipLeft = "flip-left"
    case flipRight = "flip-right"
    case flipTop = "flip-top"
    case flipBottom = "flip-bottom"
  }
}
