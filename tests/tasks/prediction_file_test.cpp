// Inputs read from data files, and answers written so that the readers of `score` take them.
#include "tasks/prediction_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "tasks/class_predictions.h"
#include "tasks/predictions.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PredictionFileTest : public testing::Test {
 protected:
  PredictionInputs load(const std::string& name, const std::string& content, Task task) const {
    return load_prediction_inputs(folder_.write(name, content), task, {});
  }

  static std::string written(Task task, const PredictionInputs& inputs, const std::vector<Prediction>& predictions) {
    std::string text;
    const auto file = make_prediction_file(task, inputs, [&](std::string_view piece) { text += piece; });
    for (std::size_t i = 0; i < predictions.size(); ++i) file->add(i, predictions[i]);
    file->finish();
    return text;
  }

  static std::string error_of(Task task, const PredictionInputs& inputs, const std::vector<Prediction>& predictions) {
    try {
      written(task, inputs, predictions);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

const std::string kQuestions = R"({"data": [
  {"id": "a\"1", "question": "Who?", "context": "Ann ran.", "answers": {"text": ["Ann"], "answer_start": [0]}},
  {"id": "b", "question": "Why?", "context": "Ann ran.", "answers": {"text": [], "answer_start": []}}]})";

TEST_F(PredictionFileTest, ReadsQuestionsWithTheirIds) {
  const PredictionInputs inputs = load("q.json", kQuestions, Task::kQuestionAnswering);
  ASSERT_EQ(inputs.inputs.size(), 2U);
  EXPECT_THAT(inputs.ids, ElementsAre("a\"1", "b"));
  EXPECT_EQ(inputs.inputs[1].text, "Why?");
  EXPECT_EQ(inputs.inputs[1].text_pair, "Ann ran.");
  EXPECT_TRUE(inputs.has_unanswerable);
  EXPECT_EQ(inputs.sha256.size(), 64U);
  // Another task takes the pairs.
  const PredictionInputs pairs = load("q.json", kQuestions, Task::kEmbedding);
  EXPECT_TRUE(pairs.ids.empty());
  EXPECT_EQ(pairs.inputs[0].text_pair, "Ann ran.");
}

TEST_F(PredictionFileTest, WritesAnswersAsScoreReadsThem) {
  const PredictionInputs inputs = load("q.json", kQuestions, Task::kQuestionAnswering);
  const std::string text =
      written(Task::kQuestionAnswering, inputs,
              {{AnswerPrediction{"\"\xC3\x84nn\"\n", {}, 1, {}}, false}, {AnswerPrediction{}, false}});
  const auto answers = read_predicted_answers("answers.json", text);
  EXPECT_EQ(answers.at("a\"1"), "\"\xC3\x84nn\"\n");
  EXPECT_EQ(answers.at("b"), "");
}

TEST_F(PredictionFileTest, ReadsWordsWithTheirPlacesInCharacters) {
  const PredictionInputs inputs =
      load("t.conll", "\xC3\x84nn\tB-p\nran off\tO\n\nBob\tB-p\n", Task::kTokenClassification);
  ASSERT_EQ(inputs.inputs.size(), 2U);
  EXPECT_EQ(inputs.inputs[0].text, "\xC3\x84nn ran off");
  EXPECT_THAT(inputs.inputs[0].words, ElementsAre(CharacterRange{0, 3}, CharacterRange{4, 11}));
  EXPECT_EQ(inputs.sentences.size(), 2U);
}

TEST_F(PredictionFileTest, WritesTagsAsScoreReadsThem) {
  const PredictionInputs inputs = load("t.conll", "Ann\tB-p\nran\tO\n\nBob\tB-p\n", Task::kTokenClassification);
  const std::string text =
      written(Task::kTokenClassification, inputs,
              {{EntityPrediction{{}, {"I-p", "O"}}, false}, {EntityPrediction{{}, {"B-q"}}, false}});
  EXPECT_EQ(text, "Ann\tI-p\nran\tO\n\nBob\tB-q\n\n");
  const auto tags = read_predicted_tags("tags.conll", text, inputs.sentences);
  EXPECT_THAT(tags, ElementsAre(ElementsAre("I-p", "O"), ElementsAre("B-q")));
  EXPECT_THAT(error_of(Task::kTokenClassification, inputs, {{EntityPrediction{{}, {"LABEL_0", "O"}}, false}}),
              AllOf(HasSubstr("'LABEL_0'"), HasSubstr("id2label")));
  EXPECT_THAT(error_of(Task::kTokenClassification, inputs, {{EntityPrediction{{}, {"O"}}, false}}),
              HasSubstr("1 tags for 2 words"));
}

Prediction class_of(std::int64_t id, const std::string& label) {
  return {ClassPrediction{id, label, 1, {0, 0}}, false};
}

TEST_F(PredictionFileTest, WritesClassesByName) {
  const std::string csv = "text,label\nx,pay\ny,ask\n";
  const PredictionInputs named = load("n.csv", csv, Task::kSequenceClassification);
  const std::string names = written(Task::kSequenceClassification, named, {class_of(0, "pay"), class_of(1, "ask")});
  EXPECT_EQ(names, "pay\nask\n");
  const DataSet data = load_dataset(folder_.path() / "n.csv");
  EXPECT_THAT(read_predicted_classes("c", names, data), ElementsAre(1, 0)) << "the data's are sorted: ask, pay";
  EXPECT_THAT(error_of(Task::kSequenceClassification, named, {class_of(0, "other")}),
              HasSubstr("'other' is not one of the data's classes (ask, pay)"));
}

TEST_F(PredictionFileTest, TakesTheOrderOfAModelWithoutNamesFromAList) {
  const std::string csv = "text,label\nx,pay\ny,ask\n";
  const PredictionInputs sorted = load("n.csv", csv, Task::kSequenceClassification);
  for (const char* label : {"", "LABEL_1"}) {
    EXPECT_THAT(error_of(Task::kSequenceClassification, sorted, {class_of(1, label)}), HasSubstr("--labels FILE"));
  }
  DataOptions options;
  options.labels = folder_.write("classes.txt", "pay\nask\n").string();
  const PredictionInputs listed =
      load_prediction_inputs(folder_.path() / "n.csv", Task::kSequenceClassification, options);
  EXPECT_EQ(written(Task::kSequenceClassification, listed, {class_of(0, ""), class_of(1, "LABEL_1")}), "pay\nask\n");
  EXPECT_THAT(error_of(Task::kSequenceClassification, listed, {class_of(2, "")}), HasSubstr("'class 2' is not one"));
}

TEST_F(PredictionFileTest, WritesNumbersWhereTheDataHasNumbers) {
  const PredictionInputs numbered = load("m.csv", "text,label\nx,0\ny,1\n", Task::kSequenceClassification);
  EXPECT_EQ(written(Task::kSequenceClassification, numbered, {class_of(1, "good")}), "1\n");
}

TEST_F(PredictionFileTest, ReadsSoundsWithIdsTranscriptsAndClasses) {
  folder_.write("a.wav", "a");
  folder_.write("b.wav", "b");
  const std::string csv = "id,path,transcript,label\n7,a.wav,Hello,yes\n8,b.wav,,no\n";
  const PredictionInputs spoken = load("s.csv", csv, Task::kSpeechRecognition);
  ASSERT_EQ(spoken.inputs.size(), 2U);
  EXPECT_EQ(spoken.inputs[1].text, (folder_.path() / "b.wav").string());
  EXPECT_THAT(spoken.ids, ElementsAre("7", "8"));
  EXPECT_THAT(spoken.transcripts, ElementsAre("Hello", ""));
  EXPECT_EQ(spoken.label_count, 0);
  EXPECT_EQ(spoken.sha256.size(), 64U);
  const PredictionInputs classes = load("s.csv", csv, Task::kAudioClassification);
  EXPECT_THAT(classes.label_names, ElementsAre("no", "yes"));
  EXPECT_THAT(classes.labels, ElementsAre(1, 0));
  EXPECT_TRUE(classes.transcripts.empty());
  EXPECT_TRUE(load("p.csv", "path\na.wav\n", Task::kSpeechRecognition).ids.empty());
}

Prediction transcript_of(const std::string& text) {
  return {TranscriptPrediction{text}, false};
}

TEST_F(PredictionFileTest, WritesTranscriptsAsScoreReadsThem) {
  folder_.write("a.wav", "a");
  folder_.write("b.wav", "b");
  const PredictionInputs inputs = load("s.csv", "id,path,text\n7,a.wav,x\n8,b.wav,y\n", Task::kSpeechRecognition);
  EXPECT_EQ(written(Task::kSpeechRecognition, inputs, {transcript_of("say \"x\""), transcript_of("")}),
            "{\"id\":\"7\",\"prediction\":\"say \\\"x\\\"\"}\n{\"id\":\"8\",\"prediction\":\"\"}\n");
  const PredictionInputs unknown = load("u.csv", "path\na.wav\n", Task::kSpeechRecognition);
  EXPECT_THAT(error_of(Task::kSpeechRecognition, unknown, {}), HasSubstr("needs --data with transcripts"));
}

TEST_F(PredictionFileTest, AnswersAreScoredWhileTheyCome) {
  folder_.write("a.wav", "a");
  folder_.write("b.wav", "b");
  const auto scores = [](Task task, const PredictionInputs& inputs, const std::vector<Prediction>& predictions) {
    std::vector<double> values;
    const std::unique_ptr<AnswerScorer> scorer = task_type(task).make_scorer(inputs);
    if (scorer == nullptr) return values;
    for (std::size_t i = 0; i < predictions.size(); ++i) scorer->add(i, predictions[i]);
    const auto report = scorer->report({});
    if (!report) return values;
    EXPECT_EQ(report->task, task);
    for (const Score& score : report->scores) values.push_back(score.estimate.value);
    return values;
  };
  const PredictionInputs spoken = load("s.csv", "path,text\na.wav,one two\nb.wav,six\n", Task::kSpeechRecognition);
  EXPECT_THAT(scores(Task::kSpeechRecognition, spoken, {transcript_of("one too"), transcript_of("six")}),
              ElementsAre(1.0 / 3, 1.0 / 10));
  EXPECT_TRUE(scores(Task::kSpeechRecognition, load("u.csv", "path\na.wav\n", Task::kSpeechRecognition), {}).empty());
  const PredictionInputs named = load("n.csv", "path,label\na.wav,yes\nb.wav,no\n", Task::kAudioClassification);
  EXPECT_EQ(scores(Task::kAudioClassification, named, {class_of(0, "yes"), class_of(0, "yes")}).front(), 0.5);
  EXPECT_TRUE(scores(Task::kAudioClassification, named, {class_of(0, "up"), class_of(1, "no")}).empty())
      << "classes of another model";
  EXPECT_TRUE(scores(Task::kAudioClassification, named, {class_of(0, "LABEL_0"), class_of(1, "no")}).empty());
}

TEST_F(PredictionFileTest, RefusesDataAndTasksWithoutSuchAFile) {
  const PredictionInputs texts = load("t.txt", "a line\n", Task::kSequenceClassification);
  EXPECT_THAT(error_of(Task::kSequenceClassification, texts, {}), HasSubstr("needs --data with labels"));
  EXPECT_THAT(error_of(Task::kTokenClassification, texts, {}), HasSubstr("CoNLL"));
  EXPECT_THAT(error_of(Task::kQuestionAnswering, texts, {}), HasSubstr("SQuAD"));
  EXPECT_THAT(error_of(Task::kEmbedding, texts, {}), HasSubstr("question_answering"));
  const PredictionInputs labelled = load("m.csv", "text,label\nx,0\n", Task::kSequenceClassification);
  EXPECT_THAT(error_of(Task::kSequenceClassification, labelled, {{EmbeddingPrediction{{1}}, false}}),
              HasSubstr("a different task"));
}

}  // namespace
}  // namespace transformeter
