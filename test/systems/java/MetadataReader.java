import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What Flink itself makes of a _metadata file, for comparison.
 *
 * Arguments: `read <_metadata>...` prints a line of JSON for each: the facts, the properties, and the file as Flink
 * writes it again, in hexadecimal digits. `properties` prints a line for each kind of snapshot: an empty checkpoint of it.
 */
public final class MetadataReader {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("properties")) {
            printProperties();
            return;
        }
        for (int index = 1; index < arguments.length; index++) {
            System.out.println(JSON.writeValueAsString(read(Path.of(arguments[index]))));
        }
    }

    private static Map<String, Object> read(Path path) throws Exception {
        CheckpointMetadata metadata;
        try (InputStream file = Files.newInputStream(path)) {
            metadata = Checkpoints.loadCheckpointMetadata(
                    new DataInputStream(file), MetadataReader.class.getClassLoader(), path.toUri().toString());
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("checkpointId", metadata.getCheckpointId());
        facts.put("masterStates", metadata.getMasterStates().size());
        List<OperatorState> operators = new ArrayList<>(metadata.getOperatorStates());
        operators.sort(Comparator.comparing(operator -> operator.getOperatorID().toString()));
        List<Object> operatorFacts = new ArrayList<>();
        long totalStateSize = 0;
        for (OperatorState operator : operators) {
            operatorFacts.add(factsOf(operator));
            totalStateSize += operator.getStateSize();
        }
        facts.put("operators", operatorFacts);
        facts.put("totalStateSize", totalStateSize);

        Map<String, Object> line = new LinkedHashMap<>();
        line.put("facts", facts);
        line.put("properties", String.valueOf(metadata.getCheckpointProperties()));
        line.put("written", hex(write(metadata)));
        return line;
    }

    private static Map<String, Object> factsOf(OperatorState operator) {
        int managedKeyed = 0;
        int rawKeyed = 0;
        int managedOperator = 0;
        int rawOperator = 0;
        int inputChannel = 0;
        int resultSubpartition = 0;
        long stateSize = 0;
        TreeSet<String> kinds = new TreeSet<>();
        TreeSet<String> names = new TreeSet<>();
        for (OperatorSubtaskState subtask : operator.getSubtaskStates().values()) {
            managedKeyed += subtask.getManagedKeyedState().size();
            rawKeyed += subtask.getRawKeyedState().size();
            managedOperator += subtask.getManagedOperatorState().size();
            rawOperator += subtask.getRawOperatorState().size();
            inputChannel += subtask.getInputChannelState().size();
            resultSubpartition += subtask.getResultSubpartitionState().size();
            List<KeyedStateHandle> keyed = new ArrayList<>(subtask.getManagedKeyedState());
            keyed.addAll(subtask.getRawKeyedState());
            for (KeyedStateHandle handle : keyed) {
                kinds.add(handle.getClass().getSimpleName());
                stateSize += handle.getStateSize();
            }
            List<OperatorStateHandle> ofOperator = new ArrayList<>(subtask.getManagedOperatorState());
            ofOperator.addAll(subtask.getRawOperatorState());
            for (OperatorStateHandle handle : ofOperator) {
                names.addAll(handle.getStateNameToPartitionOffsets().keySet());
                stateSize += handle.getStateSize();
            }
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", operator.getOperatorID().toString());
        facts.put("name", operator.getOperatorName().orElse(null));
        facts.put("uid", operator.getOperatorUid().orElse(null));
        facts.put("parallelism", operator.getParallelism());
        facts.put("maxParallelism", operator.getMaxParallelism());
        facts.put("fullyFinished", operator.isFullyFinished());
        facts.put("coordinatorState", operator.getCoordinatorState() != null);
        facts.put("subtasks", operator.getSubtaskStates().size());
        facts.put("managedKeyed", managedKeyed);
        facts.put("rawKeyed", rawKeyed);
        facts.put("managedOperator", managedOperator);
        facts.put("rawOperator", rawOperator);
        facts.put("inputChannel", inputChannel);
        facts.put("resultSubpartition", resultSubpartition);
        facts.put("keyedHandleKinds", kinds);
        facts.put("operatorStateNames", names);
        facts.put("stateSize", stateSize);
        return facts;
    }

    private static void printProperties() throws Exception {
        for (CheckpointRetentionPolicy policy : CheckpointRetentionPolicy.values()) {
            print("CHECKPOINT", policy.name(), CheckpointProperties.forCheckpoint(policy));
            print("FULL_CHECKPOINT", policy.name(), new CheckpointProperties(
                    false, CheckpointType.FULL_CHECKPOINT, true, true,
                    policy != CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION,
                    policy == CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION,
                    policy != CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION, false));
        }
        for (SavepointFormatType format : SavepointFormatType.values()) {
            for (boolean forced : new boolean[] {true, false}) {
                String detail = format.name() + (forced ? "" : " UNFORCED");
                print("NONE", detail, CheckpointProperties.forSavepoint(forced, format));
                print("SUSPEND", detail, CheckpointProperties.forSyncSavepoint(forced, false, format));
                print("TERMINATE", detail, CheckpointProperties.forSyncSavepoint(forced, true, format));
            }
        }
    }

    private static void print(String kind, String detail, CheckpointProperties properties) throws Exception {
        CheckpointMetadata metadata =
                new CheckpointMetadata(5L, Collections.emptyList(), Collections.emptyList(), properties);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", kind);
        line.put("detail", detail);
        line.put("written", hex(write(metadata)));
        System.out.println(JSON.writeValueAsString(line));
    }

    private static byte[] write(CheckpointMetadata metadata) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Checkpoints.storeCheckpointMetadata(metadata, bytes);
        return bytes.toByteArray();
    }

    private static String hex(byte[] bytes) {
        StringBuilder digits = new StringBuilder(bytes.length * 2);
        for (byte value : bytes) {
            digits.append(String.format("%02x", value));
        }
        return digits.toString();
    }
}
