import cc.mallet.classify.NaiveBayes;
import cc.mallet.classify.NaiveBayesEMTrainer;
import cc.mallet.pipe.Noop;
import cc.mallet.types.Alphabet;
import cc.mallet.types.FeatureVector;
import cc.mallet.types.Instance;
import cc.mallet.types.InstanceList;
import cc.mallet.types.LabelAlphabet;
import cc.mallet.types.LabelVector;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * Trains MALLET's NaiveBayesEMTrainer and writes P(class) for other texts.
 *
 * <p>Usage: MalletEM classes words learned asked answers. Texts are lines of svmlight: the number of the class (-1 if
 * unknown), then word:count with words from 0. An answer is a line of probabilities, one per class. The trainer smooths by
 * Laplace's alpha = 1: version 2.0.7 has a setter for another estimator, but trains without it.
 */
public class MalletEM {
    public static void main(String[] given) throws IOException {
        LabelAlphabet classes = new LabelAlphabet();
        for (int i = 0; i < Integer.parseInt(given[0]); i++) classes.lookupLabel(i, true);
        Alphabet words = new Alphabet();
        for (int i = 0; i < Integer.parseInt(given[1]); i++) words.lookupIndex(i, true);

        InstanceList learned = read(Path.of(given[2]), words, classes);
        NaiveBayes model = new NaiveBayesEMTrainer().train(learned);
        try (PrintWriter answers = new PrintWriter(given[4])) {
            for (Instance text : read(Path.of(given[3]), words, classes)) {
                LabelVector found = model.classify(text).getLabelVector();
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < classes.size(); i++) line.append(found.value(i)).append(' ');
                answers.println(line);
            }
        }
    }

    private static InstanceList read(Path path, Alphabet words, LabelAlphabet classes) throws IOException {
        BitSet unknown = new BitSet();
        InstanceList texts = new InstanceList(new Noop(words, classes));
        for (String line : Files.readAllLines(path)) {
            String[] parts = line.trim().split(" +");
            int[] at = new int[parts.length - 1];
            double[] counts = new double[parts.length - 1];
            for (int i = 0; i < at.length; i++) {
                String[] pair = parts[i + 1].split(":");
                at[i] = Integer.parseInt(pair[0]);
                counts[i] = Double.parseDouble(pair[1]);
            }
            int label = (int) Double.parseDouble(parts[0]);
            FeatureVector text = new FeatureVector(words, at, counts);
            unknown.set(texts.size(), label < 0);
            texts.add(new Instance(text, classes.lookupLabel(Math.max(label, 0)), texts.size(), null));
        }
        texts.hideSomeLabels(unknown);
        return texts;
    }
}
