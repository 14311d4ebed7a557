// Values of Arrow's arrays as JSON.
#pragma once

#include <arrow/array.h>

#include <cstdint>
#include <string>

namespace transformeter {

/// Whether a column of it holds files, of images or sounds: a record of `bytes` and `path`.
bool is_file_type(const arrow::DataType& type);

/// Appends the value at `row` as JSON. Texts are quoted but not checked for UTF-8; numbers that JSON lacks are null; a
/// file is "data:;base64,..." or, without bytes, its path; dates, times and decimals are texts. Throws
/// std::runtime_error for a type that has no JSON: bytes and maps.
void append_json(const arrow::Array& array, std::int64_t row, std::string& json);

/// `text` in quotation marks.
void append_quoted(std::string_view text, std::string& json);

}  // namespace transformeter
