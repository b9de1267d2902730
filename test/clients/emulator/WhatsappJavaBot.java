import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.whatsapp.api.WhatsappApiFactory;
import com.whatsapp.api.configuration.WhatsappApiConfig;
import com.whatsapp.api.domain.media.FileType;
import com.whatsapp.api.domain.messages.Action;
import com.whatsapp.api.domain.messages.Body;
import com.whatsapp.api.domain.messages.BodyComponent;
import com.whatsapp.api.domain.messages.Button;
import com.whatsapp.api.domain.messages.Context;
import com.whatsapp.api.domain.messages.ImageMessage;
import com.whatsapp.api.domain.messages.InteractiveMessage;
import com.whatsapp.api.domain.messages.Language;
import com.whatsapp.api.domain.messages.Message.MessageBuilder;
import com.whatsapp.api.domain.messages.ReadMessage;
import com.whatsapp.api.domain.messages.Reply;
import com.whatsapp.api.domain.messages.TemplateMessage;
import com.whatsapp.api.domain.messages.TextMessage;
import com.whatsapp.api.domain.messages.TextParameter;
import com.whatsapp.api.domain.messages.type.ButtonType;
import com.whatsapp.api.domain.messages.type.InteractiveMessageType;
import com.whatsapp.api.domain.messages.type.MessageType;
import com.whatsapp.api.domain.templates.type.LanguageType;
import com.whatsapp.api.domain.webhook.Message;
import com.whatsapp.api.domain.webhook.Status;
import com.whatsapp.api.domain.webhook.WebHook;
import com.whatsapp.api.domain.webhook.type.MessageStatus;
import com.whatsapp.api.exception.WhatsappApiException;
import com.whatsapp.api.impl.WhatsappBusinessCloudApi;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The bot of the story, on whatsapp-business-java-api as published: its base domain is a setting. */
public class WhatsappJavaBot {
    private static final String PHONE_ID = System.getenv("PHONE_NUMBER_ID");
    private static final byte[] PICTURE = Base64.getDecoder().decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC");

    private final WhatsappBusinessCloudApi api;
    /** What is waited for, by the id of a sent message: this client has no biz_opaque_callback_data. */
    private final Map<String, String> trackers = new HashMap<>();

    WhatsappJavaBot(WhatsappBusinessCloudApi api) {
        this.api = api;
    }

    public static void main(String[] args) throws IOException {
        WhatsappApiConfig.setBaseDomain(System.getenv("GRAPH_URL") + "/");
        var bot = new WhatsappJavaBot(WhatsappApiFactory.newInstance(System.getenv("ACCESS_TOKEN")).newBusinessCloudApi());
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("BOT_PORT"))), 0);
        server.createContext("/webhook", bot::serve);
        server.start();
    }

    private void serve(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readAllBytes();
        try {
            if (exchange.getRequestMethod().equals("GET")) {
                var query = queryOf(exchange);
                var isOurs = System.getenv("VERIFY_TOKEN").equals(query.get("hub.verify_token"));
                answer(exchange, isOurs ? 200 : 403, isOurs ? query.get("hub.challenge") : "");
            } else if (!isSigned(exchange, body)) {
                answer(exchange, 401, "");
            } else {
                handle(new String(body, StandardCharsets.UTF_8));
                answer(exchange, 200, "");
            }
        } catch (Exception error) {
            error.printStackTrace();
            answer(exchange, 500, "");
        }
    }

    private static Map<String, String> queryOf(HttpExchange exchange) {
        var query = new HashMap<String, String>();
        for (var part : exchange.getRequestURI().getRawQuery().split("&")) {
            var pair = part.split("=", 2);
            query.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static boolean isSigned(HttpExchange exchange, byte[] body) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(System.getenv("APP_SECRET").getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        var expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
        var given = String.valueOf(exchange.getRequestHeaders().getFirst("X-Hub-Signature-256"));
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private void handle(String payload) throws IOException {
        for (var entry : WebHook.constructEvent(payload).entry())
            for (var change : entry.changes()) {
                if (change.value().messages() != null) change.value().messages().forEach(this::answerMessage);
                if (change.value().statuses() != null) change.value().statuses().forEach(this::noteStatus);
            }
    }

    private void answerMessage(Message message) {
        var from = message.from();
        if (message.type() == MessageType.INTERACTIVE) {
            var reply = message.interactive().buttonReply();
            say(from, "You chose " + reply.id() + " (" + reply.title() + ").");
        } else if (message.type() == MessageType.IMAGE) {
            var file = api.downloadMediaFile(api.retrieveMediaUrl(message.image().id()).url());
            say(from, "Got " + file.content().length + " bytes of " + message.image().mimeType() + ".");
        } else if (message.type() == MessageType.TEXT) {
            answerText(message, from, message.text().body());
        }
    }

    private void answerText(Message message, String from, String text) {
        if (text.equals("menu")) {
            send(MessageBuilder.builder().setTo(from).buildInteractiveMessage(InteractiveMessage.build()
                    .setAction(new Action().addButton(button("coffee", "Coffee")).addButton(button("tea", "Tea")))
                    .setType(InteractiveMessageType.BUTTON)
                    .setBody(new Body().setText("What would you like?"))));
        } else if (text.equals("photo")) {
            var id = api.uploadMedia(PHONE_ID, "a.png", FileType.PNG, PICTURE).id();
            send(MessageBuilder.builder().setTo(from).buildImageMessage(new ImageMessage().setId(id).setCaption("A photo")));
        } else if (text.equals("template")) {
            send(MessageBuilder.builder().setTo(from).buildTemplateMessage(new TemplateMessage()
                    .setLanguage(new Language(LanguageType.ID)).setName("order_paid")
                    .addComponent(new BodyComponent()
                            .addParameter(new TextParameter("A-1042")).addParameter(new TextParameter("Rp 75.000")))));
        } else if (text.startsWith("write ")) {
            var to = text.split(" ")[1];
            try {
                say(to, "Hello");
            } catch (WhatsappApiException error) {
                say(from, "Refused: " + error.getError().error().code());
            }
            trackers.put(send(MessageBuilder.builder().setTo(to).buildTemplateMessage(
                    new TemplateMessage().setLanguage(new Language(LanguageType.EN_US)).setName("hello_world"))), from);
        } else {
            api.markMessageAsRead(PHONE_ID, new ReadMessage(message.id()));
            var context = new Context();
            context.setMessageId(message.id());
            trackers.put(send(MessageBuilder.builder().setTo(from).setContext(context)
                    .buildTextMessage(new TextMessage().setBody("You said: " + text))), "echo");
        }
    }

    private void noteStatus(Status status) {
        var tracker = trackers.get(status.id());
        if ("echo".equals(tracker) && status.status() == MessageStatus.READ) say(status.recipientId(), "You read it.");
        else if (tracker != null && status.status() == MessageStatus.FAILED)
            say(tracker, "Failed: " + status.errors().get(0).code());
    }

    private static Button button(String id, String title) {
        return new Button().setType(ButtonType.REPLY).setReply(new Reply().setId(id).setTitle(title));
    }

    private String say(String to, String text) {
        return send(MessageBuilder.builder().setTo(to).buildTextMessage(new TextMessage().setBody(text)));
    }

    private String send(com.whatsapp.api.domain.messages.Message message) {
        return api.sendMessage(PHONE_ID, message).messages().get(0).id();
    }
}
