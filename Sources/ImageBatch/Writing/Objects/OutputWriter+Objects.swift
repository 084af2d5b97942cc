import ImageCaches
import ImageDownloads

extension OutputWriter {
  /// Inspects the objects at the outputs' addresses.
  /// - Returns: What was found, by the outputs' indices; nothing for files.
  func examine(
    _ outputs: [PlannedOutput], known: [ContentDigest: StoredOutput], _ survey: inout Survey
  ) async -> [Int: ObjectPlaces.Finding] {
    guard let objects else { return [:] }
    var places: [Int: ObjectPlaces.Place] = [:]
    for (index, output) in outputs.enumerated()
    where output.state == .unknown && survey.refused[index] == nil { places[index] = output.objectPlace }
    guard !places.isEmpty else { return [:] }
    let results = await withTaskGroup(of: (Int, Result<ObjectPlaces.Finding, DownloadError>).self) { tasks in
      for (index, place) in places {
        let known = known[place.output]
        tasks.addTask { (index, await objects.finding(at: place, known: known)) }
      }
      return await tasks.reduce(into: [Int: Result<ObjectPlaces.Finding, DownloadError>]()) {
        $0[$1.0] = $1.1
      }
    }
    var findings: [Int: ObjectPlaces.Finding] = [:]
    for (index, result) in results {
      switch result {
      case .success(let finding): findings[index] = finding
      case .failure(let error): survey.refused[index] = JobError(inspecting: error)
      }
    }
    return findings
  }
}
