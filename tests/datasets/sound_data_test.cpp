// Folders and tables of sounds, with classes and transcripts, and every way they can be wrong.
#include "datasets/sound_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "datasets/media_data.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class SoundData : public testing::Test {
 protected:
  fs::path put(const std::string& name, const std::string& content = "sound") const {
    fs::create_directories((folder_.path() / name).parent_path());
    return folder_.write(name, content);
  }
  fs::path root() const { return folder_.path(); }
  // Below the folder, with its class.
  std::vector<std::string> listed(const DataSet& data) const {
    std::vector<std::string> lines;
    for (const Example& example : data.examples) {
      const std::string file = fs::path(example.text).lexically_relative(root()).string();
      lines.push_back(file + (example.label ? " " + std::to_string(*example.label) : ""));
    }
    return lines;
  }
  static std::string failure_of(const fs::path& path, Task task, const DataOptions& options = {}) {
    try {
      load_sound_data(path, task, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << path;
    return "";
  }
  static DataOptions of_split(const std::string& split) {
    DataOptions options;
    options.split = split;
    return options;
  }
  void put_speech_commands() const {
    for (const char* name : {"yes/1.wav", "yes/2.wav", "yes/3.wav", "no/1.wav", "no/2.wav"})
      put("speech/" + std::string(name));
    put("speech/_background_noise_/pink_noise.wav");
    put("speech/_background_noise_/README.md");
    put("speech/README.md");
    put("speech/validation_list.txt", "yes/2.wav\n");
    put("speech/testing_list.txt", "no/1.wav\nyes/3.wav\n");
  }

  TemporaryFolder folder_;
};

TEST_F(SoundData, OfAFolderHaveItsClasses) {
  for (const char* name : {"s/yes/b.FLAC", "s/yes/a.wav", "s/no/sub/z.ogg", "s/no/c.opus", "s/no/notes.txt"}) put(name);
  const DataSet data = load_sound_data(root() / "s", Task::kAudioClassification);
  EXPECT_EQ(data.task, Task::kAudioClassification);
  EXPECT_EQ(data.name, "s");
  EXPECT_THAT(data.label_names, ElementsAre("no", "yes"));
  EXPECT_THAT(listed(data), ElementsAre("s/no/c.opus 0", "s/no/sub/z.ogg 0", "s/yes/a.wav 1", "s/yes/b.FLAC 1"));
  DataOptions options;
  options.labels = "yes,maybe,no";
  EXPECT_EQ(load_sound_data(root() / "s", Task::kAudioClassification, options).examples[0].label, 2) << "as listed";
}

TEST_F(SoundData, OfAFolderWithoutFoldersHaveNeitherClassNorTranscript) {
  for (const char* name : {"s/b.wav", "s/a.ogg", "s/C.FLAC", "s/list.txt"}) put(name);
  for (const Task task : {Task::kAudioClassification, Task::kSpeechRecognition, Task::kAudioEmbedding}) {
    const DataSet data = load_sound_data(root() / "s", task);
    EXPECT_EQ(data.task, task);
    EXPECT_THAT(listed(data), ElementsAre("s/C.FLAC", "s/a.ogg", "s/b.wav"));
    EXPECT_EQ(data.label_count, 0);
    EXPECT_EQ(data.examples[0].transcript, std::nullopt);
  }
}

TEST_F(SoundData, OfSpeechCommandsHaveItsSplitsAndNoClassOfNoise) {
  put_speech_commands();
  const fs::path speech = root() / "speech";
  const auto split = [&](const std::string& name) {
    return listed(load_sound_data(speech, Task::kAudioClassification, of_split(name)));
  };
  const DataSet all = load_sound_data(speech, Task::kAudioClassification);
  EXPECT_THAT(all.label_names, ElementsAre("no", "yes"));
  EXPECT_EQ(all.examples.size(), 5U) << "without a split all, as torchaudio has them";
  EXPECT_THAT(split("train"), ElementsAre("speech/no/2.wav 0", "speech/yes/1.wav 1"));
  EXPECT_THAT(split("validation"), ElementsAre("speech/yes/2.wav 1"));
  EXPECT_THAT(split("test"), ElementsAre("speech/no/1.wav 0", "speech/yes/3.wav 1"));
  EXPECT_THAT(failure_of(speech, Task::kAudioClassification, of_split("testing")),
              HasSubstr("split 'testing' is not known; allowed: train, validation, test"));
  put("speech/testing_list.txt", "no/1.wav\n\nno/9.wav\n");
  EXPECT_THAT(failure_of(speech, Task::kAudioClassification, of_split("train")),
              AllOf(HasSubstr("testing_list.txt:3: file 'no/9.wav'"), HasSubstr("it is not in the folder")));
  fs::remove(speech / "testing_list.txt");
  EXPECT_THAT(failure_of(speech, Task::kAudioClassification, of_split("train")), HasSubstr("has no splits"));
}

TEST_F(SoundData, OfATableHaveTranscriptsOrClassesByTheTask) {
  for (const char* name : {"t/a.wav", "t/sub/b.flac"}) put(name);
  const fs::path table =
      put("t/t.tsv", "id\tfile\ttranscript\tlabel\nx1\ta.wav\thello world\t1\nx2\tsub/b.flac\t\t0\n");
  const DataSet spoken = load_sound_data(table, Task::kSpeechRecognition);
  EXPECT_EQ(spoken.task, Task::kSpeechRecognition);
  EXPECT_THAT(listed(spoken), ElementsAre("t/a.wav", "t/sub/b.flac"));
  EXPECT_EQ(spoken.label_count, 0) << "the column label is no transcript";
  EXPECT_THAT(spoken.examples[0].transcript, Optional(std::string("hello world")));
  EXPECT_THAT(spoken.examples[1].transcript, Optional(std::string())) << "nothing is said";
  EXPECT_THAT(spoken.examples[0].id, Optional(std::string("x1")));
  const DataSet classes = load_sound_data(table, Task::kAudioClassification);
  EXPECT_THAT(listed(classes), ElementsAre("t/a.wav 1", "t/sub/b.flac 0"));
  EXPECT_EQ(classes.examples[0].transcript, std::nullopt);
}

TEST_F(SoundData, ColumnsMayBeChosenAndTranscriptsMissing) {
  put("a.wav");
  DataOptions options;
  options.text_column = "recording";
  options.label_column = "said";
  const fs::path lines = put("l.jsonl", "{\"recording\": \"a.wav\", \"said\": \"Yes.\", \"text\": \"no\"}\n");
  EXPECT_THAT(load_sound_data(lines, Task::kSpeechRecognition, options).examples[0].transcript,
              Optional(std::string("Yes.")));
  EXPECT_EQ(load_sound_data(put("p.csv", "path,speaker\na.wav,1\n"), Task::kSpeechRecognition).examples[0].transcript,
            std::nullopt);
  // As manifests of other programs have them.
  const fs::path manifest = put("m.jsonl", "{\"audio_filepath\": \"a.wav\", \"duration\": 1.5, \"text\": \"yes\"}\n");
  EXPECT_THAT(load_sound_data(manifest, Task::kSpeechRecognition).examples[0].transcript, Optional(std::string("yes")));
}

TEST_F(SoundData, ThatIsWrongIsRefusedByName) {
  put("one/yes/a.wav");
  put("a.wav");
  const auto speech = [&](const std::string& name, const std::string& content, const DataOptions& options = {}) {
    return failure_of(put(name, content), Task::kSpeechRecognition, options);
  };
  const auto folder = [&](const std::string& name) { return failure_of(root() / name, Task::kAudioClassification); };
  EXPECT_THAT(folder("one"), AllOf(HasSubstr("sound folder"), HasSubstr("it has one folder alone, 'yes'"),
                                   HasSubstr("WAV, FLAC or Ogg files for each of at least two classes")));
  put("shards/a.wav");
  put("shards/m.parquet");
  EXPECT_THAT(folder("shards"), HasSubstr("m.parquet")) << "it is read in place of the sound";
  fs::create_directory(root() / "bare");
  EXPECT_THAT(folder("bare"), HasSubstr("it has no folders"));
  EXPECT_THAT(folder("missing"), AllOf(HasSubstr("sound data"), HasSubstr("no such file or folder")));
  fs::create_directory(root() / "one/no");
  EXPECT_THAT(folder("one"), HasSubstr("it has no .wav, .flac, .ogg, .oga or .opus files. Remove it, or put sounds"));
  put("one/no/b.mp3");
  EXPECT_THAT(folder("one"), AllOf(HasSubstr("b.mp3"), HasSubstr("its format is not read. Allowed: .wav, .flac")));
  EXPECT_THAT(failure_of(root() / "a.wav", Task::kSpeechRecognition),
              AllOf(HasSubstr("it is one sound"), HasSubstr("`predict --audio`")));
  EXPECT_THAT(speech("n.csv", "name,text\na.wav,b\n"),
              AllOf(HasSubstr("none of the columns (name, text) is known to hold paths of sounds"),
                    HasSubstr("audio, path, file"), HasSubstr("--text-column")));
  EXPECT_THAT(speech("e.csv", "path,text\n"), HasSubstr("no rows below the header"));
  EXPECT_THAT(speech("f.csv", "path,text\na.wav,x\nnone.wav,y\n"),
              AllOf(HasSubstr("f.csv:3: sound 'none.wav'"), HasSubstr("there is no file"),
                    HasSubstr("Paths count from the table's folder")));
  EXPECT_THAT(speech("v.csv", "path,text\n ,x\n"), AllOf(HasSubstr("v.csv:2: sound"), HasSubstr("it is empty")));
  DataOptions options;
  options.label_column = "said";
  EXPECT_THAT(speech("c.csv", "path,text\na.wav,x\n", options),
              AllOf(HasSubstr("transcript column 'said' is not known; allowed: path, text")));
  EXPECT_THAT(speech("j.jsonl", "{\"path\": \"a.wav\", \"text\": \"x\"}\n{\"path\": \"a.wav\"}\n"),
              HasSubstr("j.jsonl:2: the transcript (column 'text') is missing"));
  EXPECT_THAT(speech("k.jsonl", "{\"text\": \"x\", \"path\": null}\n"),
              HasSubstr("k.jsonl:1: the path (column 'path') is missing"));
  EXPECT_THAT(speech("l.jsonl", "{\"path\": \"a.wav\", \"text\": [\"x\"]}\n"), HasSubstr("l.jsonl:1"));
  options = {};
  options.text_pair_column = "text";
  EXPECT_THAT(speech("d.csv", "path,text\na.wav,x\n", options), HasSubstr("sounds have no pairs"));
}

TEST_F(SoundData, IsKnownByBytesAndTranscripts) {
  put("a.wav", "one");
  const auto hash = [&](const std::string& row) {
    return sha256_of_media(load_sound_data(put("t.csv", "path,text\n" + row + "\n"), Task::kSpeechRecognition));
  };
  const std::string before = hash("a.wav,yes");
  EXPECT_EQ(before, hash("a.wav,yes"));
  EXPECT_NE(before, hash("a.wav,no"));
  EXPECT_NE(before, hash("a.wav,"));
  put("a.wav", "two");
  EXPECT_NE(before, hash("a.wav,yes"));
}

TEST_F(SoundData, AreDecodedWhereverTheirBytesAre) {
  const fs::path file = source_directory() / "tests/data/audio/pcm_16.wav";
  Example by_path{file.string(), {}, {}};
  Example by_bytes{"table:2", {}, {}};
  by_bytes.file = std::make_shared<const std::string>(read_file(file));
  EXPECT_EQ(waveform_of(by_path, 16'000), waveform_of(by_bytes, 16'000));
  by_bytes.file = std::make_shared<const std::string>("RIFF");
  try {
    waveform_of(by_bytes, 16'000);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("table:2"));
  }
}

}  // namespace
}  // namespace transformeter
