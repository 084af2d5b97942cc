import ImageFilters

/// The sheet as a page that needs nothing but the images beside it.
struct ContactSheetPage {
  let rows: [ContactSheet.Row]

  var html: String {
    var page = """
      <!DOCTYPE html>
      <html lang="en"><meta charset="utf-8"><title>imagemill: every filter</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
      h1, h2 { font-weight: 600; } code { background: #8882; padding: 0 .3em; }
      .row { display: flex; gap: 1rem; flex-wrap: wrap; margin: .5rem 0 2rem; }
      img { max-width: 320px; max-height: 240px;
        background: repeating-conic-gradient(#ccc 0 25%, #fff 0 50%) 0 0 / 16px 16px; }
      </style>
      <h1>Every filter on every test image</h1>

      """
    for category in FilterDefinition.Category.allCases {
      page += "<h2>\(escaped(category.rawValue))</h2>\n"
      for row in rows where row.filter.category == category {
        page +=
          "<p><code>\(escaped(row.example))</code> \(escaped(row.filter.summary))</p>\n<div class=\"row\">"
        for image in row.images {
          page +=
            "<img src=\"\(escaped(image.name))\" alt=\"\(escaped(row.filter.name))\" "
            + "width=\"\(image.width)\" height=\"\(image.height)\" style=\"height:auto\" loading=\"lazy\">"
        }
        page += "</div>\n"
      }
    }
    return page + "</html>\n"
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
