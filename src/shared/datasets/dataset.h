// What a model is given from a data file: texts, or pairs of texts, with the class where there is one. Files of every
// task serve: of question answering the pairs of question and context, of token classification the sentences, of
// running text its lines. What a task's score needs beyond that is kept by the task's own reader (squad.h, conll.h).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/data_file.h"
#include "images/image.h"
#include "schema/case.h"

namespace transformeter {

struct Example {
  std::string text;
  std::optional<std::string> text_pair;
  std::optional<int> label;                      // in [0, label_count)
  std::optional<std::string> id = {};            // where the file names its examples
  std::shared_ptr<const Image> image = nullptr;  // of data that hold pixels
  /// The bytes of an image's or a sound's file, of data that hold such. Without pixels or bytes `text` is the file's
  /// path.
  std::shared_ptr<const std::string> file = nullptr;
  std::optional<std::string> transcript = {};  // of a sound: what is said in it; empty: nothing
  std::optional<std::string> caption = {};     // of an image: a text about it; never blank
  std::optional<std::string> target = {};      // the text that is to be made of it
};

/// Whether text and pair hold nothing but white space.
bool is_blank(std::string_view text, const std::optional<std::string>& text_pair);

struct DataSet {
  std::string name;                           // folder and file without ending, as "sst2/dev"
  Task task = Task::kSequenceClassification;  // that the file was made for
  std::vector<Example> examples;
  int label_count = 0;                    // 0: the examples have no labels
  std::vector<std::string> label_names;   // by class; empty where the file's labels are numbers
  std::string sha256;                     // of the file's bytes
  std::vector<std::string> columns = {};  // of a table of images or sounds, for errors
};

/// Whether its examples are sounds with what is said in them.
bool has_transcripts(const DataSet& data);

/// How to read texts and labels; columns are found by their usual names where none is given.
struct DataOptions {
  std::string text_column;
  std::string text_pair_column;
  std::string label_column;
  std::string labels;             // classes in order, as load_label_list takes them; empty: found from the labels
  std::string split;              // of a file with several
  bool has_label_lists = false;   // a label may be a list of them, as ["joy", "love"], joy,love or []
  bool has_target_texts = false;  // a label is a text, Example::target, and no class

  bool any() const;
  bool names_columns() const;
  /// What of a path is read for these.
  DataSelection selection() const;
};

/// Those of a case's settings.
DataOptions data_options(const Case& the_case);

/// A file's text as formats look at it.
struct DataSource {
  std::string where;      // names the file in errors
  std::string extension;  // as ".csv"; empty without one
  std::string_view text;  // valid UTF-8 without a byte order mark, not empty
  DataOptions options;
  std::map<std::string, std::vector<std::string>> classes = {};  // names in order, of columns that hold numbers of them
};

/// A file format: how to know it, and how to read it.
struct DataFormat {
  std::string name;
  std::string description;  // what the file must look like, for errors
  bool (*recognises)(const DataSource& source) = nullptr;
  /// Fills task, examples, label_count and label_names.
  DataSet (*read)(const DataSource& source) = nullptr;
  bool has_columns = false;  // to be chosen
  bool has_classes = false;  // to be listed
  bool has_splits = false;
};

/// The formats built in, in the order they are asked.
std::vector<DataFormat> builtin_data_formats();

/// Reads `path`, a file or a folder of them (DataFile), by the first format that recognises it. Throws Error(kBadInput)
/// as "FILE:LINE: …" for what no format knows, a bad label, a missing or further column, an empty text, no rows, bytes
/// that are not UTF-8, and for options that the file's format has no use for.
DataSet load_dataset(const std::filesystem::path& path, const DataOptions& options = {},
                     const std::vector<DataFormat>& formats = builtin_data_formats());

}  // namespace transformeter
